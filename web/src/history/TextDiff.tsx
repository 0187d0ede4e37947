import { useMemo } from "react";
import { compareText } from "./compare-text.ts";

const addedClasses = "[del+&]:ml-1 bg-wash text-accent decoration-accent underline decoration-2 underline-offset-3";
const removedClasses = "text-danger line-through";

/** The differences between two texts, word by word. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => compareText(before, after), [before, after]);
  return (
    <p className="m-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
      {parts.map(({ kind, text }, i) => {
        if (kind === "same") return <span key={i}>{text}</span>;
        const [Element, classes, label] =
          kind === "added"
            ? (["ins", addedClasses, "added: "] as const)
            : (["del", removedClasses, "removed: "] as const);
        return (
          <Element key={i} className={classes}>
            <span className="sr-only">[{label}</span>
            {text}
            <span className="sr-only">]</span>
          </Element>
        );
      })}
    </p>
  );
}
