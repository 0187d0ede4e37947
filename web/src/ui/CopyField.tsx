import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "./Button.tsx";
import { WholeWords } from "./WholeWords.tsx";

/** Text with a button that copies it. */
export function CopyField({
  label,
  text,
  isLabelHidden = false,
  isPrimary = false,
  onCopied,
}: {
  label: string;
  text: string;
  isLabelHidden?: boolean;
  /** Whether copying is the main action of the dialog or page. */
  isPrimary?: boolean;
  /** Called when the text was copied, with the button or by hand. */
  onCopied?: () => void;
}) {
  const codeRef = useRef<HTMLElement>(null);
  const [status, setStatus] = useState<"copied" | "selected">();
  const lineCount = text.split("\n").length;

  useEffect(() => {
    if (status !== "copied") return undefined;
    const timer = setTimeout(() => setStatus(undefined), 4000);
    return () => clearTimeout(timer);
  }, [status]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setStatus("copied");
      onCopied?.();
    } catch {
      // Browsers block clipboard access without HTTPS; the user can copy the selected text.
      if (codeRef.current) getSelection()?.selectAllChildren(codeRef.current);
      setStatus("selected");
    }
  }

  const copyLabel = status === "copied" ? "Copied" : "Copy";
  return (
    <div className="not-first:mt-3">
      <p className={isLabelHidden ? "sr-only" : "m-0 text-sm text-muted"}>{label}</p>
      <div
        className={`mt-1.5 grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-2 rounded-lg border border-rule bg-raised p-1 pl-3 max-sm:grid-cols-1 max-sm:pl-1 ${lineCount > 2 ? "items-start" : "items-center"}`}
      >
        <code
          ref={codeRef}
          onCopy={() => {
            setStatus("copied");
            onCopied?.();
          }}
          className="block py-1 whitespace-pre-wrap max-sm:px-2 max-sm:text-[0.8rem]"
        >
          {lineCount > 1 ? renderLines(text) : <WholeWords text={text} />}
        </code>
        <Button
          variant={isPrimary ? "primary" : "quiet"}
          size={isPrimary ? "medium" : "small"}
          icon={status === "copied" ? Check : Copy}
          onClick={() => void copy()}
          aria-label={`${copyLabel} ${label}`}
        >
          {copyLabel}
        </Button>
      </div>
      <p className={status === "selected" ? "m-0 mt-1 text-sm text-accent" : "sr-only"} role="status">
        {status === "copied" && "Copied"}
        {status === "selected" && (
          <>
            <span className="pointer-coarse:hidden">Selected: press Ctrl+C or ⌘C</span>
            <span className="hidden pointer-coarse:inline">Selected. Use your device’s copy action.</span>
          </>
        )}
      </p>
    </div>
  );
}

/** A line that wraps continues at its own indentation, which is at least two columns, so that commands stay apart. */
const renderLines = (text: string): ReactNode[] =>
  text.split("\n").map((line, i) => {
    const indent = Math.max(line.search(/\S|$/), 2);
    return (
      <span key={i} className="block" style={{ paddingLeft: `${indent}ch`, textIndent: `-${indent}ch` }}>
        <WholeWords text={line} />
      </span>
    );
  });
