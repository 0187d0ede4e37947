import { useEffect, useRef, useState } from "react";
import { Button } from "./Button.tsx";

/** Text to take along: a line or a few of them, and a button that copies it. */
export function CopyLine({ label, text, hideLabel = false }: { label: string; text: string; hideLabel?: boolean }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("");

  useEffect(() => {
    if (said === "") return undefined;
    const timer = setTimeout(() => setSaid(""), 4000);
    return () => clearTimeout(timer);
  }, [said]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Without https the browser keeps its clipboard closed; selected text can still be copied by hand.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      setSaid("Selected: press Ctrl+C or ⌘C");
    }
  }

  return (
    <div className="copy">
      <p className={hideLabel ? "sr-only" : "m-0 text-sm text-muted"}>{label}</p>
      <div className="copy-box">
        <code ref={code}>{text}</code>
        <Button look="quiet" onClick={() => void copy()} aria-label={`Copy ${label}`}>
          Copy
        </Button>
      </div>
      <p className="m-0 min-h-5 text-sm text-accent" role="status">
        {said}
      </p>
    </div>
  );
}
