import { useEffect, useRef, useState } from "react";
import { Button } from "./Button.tsx";

/** Text with a button that copies it. */
export function CopyField({ label, text, hideLabel = false }: { label: string; text: string; hideLabel?: boolean }) {
  const codeRef = useRef<HTMLElement>(null);
  const [statusMessage, setStatusMessage] = useState("");

  useEffect(() => {
    if (statusMessage === "") return undefined;
    const timer = setTimeout(() => setStatusMessage(""), 4000);
    return () => clearTimeout(timer);
  }, [statusMessage]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setStatusMessage("Copied");
    } catch {
      // Browsers block clipboard access without HTTPS; the user can copy the selected text.
      if (codeRef.current) getSelection()?.selectAllChildren(codeRef.current);
      setStatusMessage("Selected: press Ctrl+C or ⌘C");
    }
  }

  return (
    <div className="copy">
      <p className={hideLabel ? "sr-only" : "m-0 text-sm text-muted"}>{label}</p>
      <div className="copy-box">
        <code ref={codeRef}>{text}</code>
        <Button variant="quiet" onClick={() => void copy()} aria-label={`Copy ${label}`}>
          Copy
        </Button>
      </div>
      <p className="m-0 min-h-5 text-sm text-accent" role="status">
        {statusMessage}
      </p>
    </div>
  );
}
