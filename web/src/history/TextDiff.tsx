import { useMemo } from "react";
import { compareLines, compareText, type TextPart } from "./compare-text.ts";

const addedClasses = "bg-wash text-accent decoration-accent underline decoration-2 underline-offset-3";
/** A line of its own, such as the name of a file, would look like a link if it were underlined. */
const addedLineClasses = "bg-wash px-1 text-accent no-underline before:content-['+_'/'']";
const removedClasses = "text-danger line-through";

/** The differences between two texts, word by word. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => compareText(before, after), [before, after]);
  return (
    <p className="m-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
      {parts.map((part, i) => (
        <DiffPart key={i} {...part} isReplacement={part.kind === "added" && parts[i - 1]?.kind === "removed"} />
      ))}
    </p>
  );
}

/** The differences between two lists of lines. */
export const LinesDiff = ({ before, after }: { before: string; after: string }) => (
  <div className="[overflow-wrap:anywhere]">
    {compareLines(before, after).map((part, i) => (
      <p key={i} className="m-0 pl-4 -indent-4">
        <DiffPart {...part} isLine />
      </p>
    ))}
  </div>
);

function DiffPart({
  kind,
  text,
  isLine = false,
  isReplacement = false,
}: TextPart & {
  isLine?: boolean;
  /** Whether it directly follows the text that it replaces. */
  isReplacement?: boolean;
}) {
  if (kind === "same") return text;
  const [Element, classes, label] =
    kind === "added"
      ? (["ins", isLine ? addedLineClasses : addedClasses, "added: "] as const)
      : (["del", removedClasses, "removed: "] as const);
  return (
    <Element className={isReplacement ? `ml-1 ${classes}` : classes}>
      <span className="sr-only">[{label}</span>
      {text}
      <span className="sr-only">]</span>
    </Element>
  );
}
