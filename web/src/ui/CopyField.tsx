import { Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "./Button.tsx";

/** Text with a button that copies it. */
export function CopyField({
  label,
  text,
  isLabelHidden = false,
}: {
  label: string;
  text: string;
  isLabelHidden?: boolean;
}) {
  const codeRef = useRef<HTMLElement>(null);
  const [statusMessage, setStatusMessage] = useState("");
  const isMultiLine = text.includes("\n");

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
    <div className="not-first:mt-3">
      <p className={isLabelHidden ? "sr-only" : "m-0 text-sm text-muted"}>{label}</p>
      <div className="mt-1.5 grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3 rounded-lg border border-rule bg-raised p-1 pl-3">
        <code
          ref={codeRef}
          className={`self-center py-1 max-sm:text-[0.8rem] ${isMultiLine ? "overflow-x-auto whitespace-pre" : "whitespace-pre-wrap"}`}
          // Keyboard users can scroll only what has the focus.
          {...(isMultiLine ? { tabIndex: 0, role: "group", "aria-label": label } : {})}
        >
          {text}
        </code>
        <Button variant="quiet" size="small" icon={Copy} onClick={() => void copy()} aria-label={`Copy ${label}`}>
          Copy
        </Button>
      </div>
      <p className="m-0 min-h-5 text-sm text-accent" role="status">
        {statusMessage}
      </p>
    </div>
  );
}
