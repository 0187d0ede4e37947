import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "./Button.tsx";

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
  const isMultiLine = text.includes("\n");

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
  const button = (
    <Button
      variant={isPrimary ? "primary" : "quiet"}
      size={isPrimary ? "medium" : "small"}
      icon={status === "copied" ? Check : Copy}
      onClick={() => void copy()}
      aria-label={`${copyLabel} ${label}`}
    >
      {copyLabel}
    </Button>
  );
  return (
    <div className="not-first:mt-3">
      <p className={isLabelHidden ? "sr-only" : "m-0 text-sm text-muted"}>{label}</p>
      <div
        className={`mt-1.5 rounded-lg border border-rule bg-raised p-1 pl-3 max-sm:pl-1 ${
          isMultiLine
            ? "flow-root"
            : "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 max-sm:grid-cols-1"
        }`}
      >
        {/* Beside the first lines, so that the others can be as wide as the field. */}
        {isMultiLine && <div className="float-right ml-3">{button}</div>}
        <code
          ref={codeRef}
          onCopy={() => {
            setStatus("copied");
            onCopied?.();
          }}
          className="block py-1 whitespace-pre-wrap max-sm:px-2 max-sm:text-[0.8rem]"
        >
          {isMultiLine ? renderLines(text) : renderWords(text)}
        </code>
        {!isMultiLine && button}
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

/** The rest of a line that wraps is indented, so that it doesn’t look like the next line. */
const renderLines = (text: string): ReactNode[] =>
  text.split("\n").map((line, i) => (
    <span key={i} className="block pl-4 -indent-4">
      {renderWords(line)}
    </span>
  ));

/** Text wraps at spaces, not at the hyphens of a flag; only a word that is longer than a line is broken. */
const renderWords = (text: string): ReactNode[] =>
  text.split(/( +)/).map((part, i) =>
    i % 2 === 1 ? (
      part
    ) : (
      <span key={i} className="inline-block max-w-full indent-0">
        {part}
      </span>
    ),
  );
