import { diffWords } from "diff";

export interface TextPart {
  kind: "same" | "added" | "removed";
  text: string;
}

/** How long a comparison may take; longer ones show the texts as a whole. */
const timeoutMs = 400;
/** The number of unchanged characters to show on either side of a change. */
const contextLength = 70;
const gap = " … ";

const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** The differences word by word, with long unchanged parts shortened. */
export function compareText(before: string, after: string): TextPart[] {
  const changes = diffWords(before, after, { intlSegmenter: words, timeout: timeoutMs });
  if (!changes)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  const parts = changes.map(({ added, removed, value }): TextPart => {
    if (added) return { kind: "added", text: value };
    return { kind: removed ? "removed" : "same", text: value };
  });
  return parts.map((part, i) =>
    part.kind === "same" ? { ...part, text: shorten(part.text, i === 0, i === parts.length - 1) } : part,
  );
}

function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  const start = isFirst ? 0 : contextLength;
  const end = isLast ? 0 : contextLength;
  if (text.length <= start + end + gap.length) return text;
  const head = text.slice(0, start).replace(/\s\S*$/, "");
  const tail = end === 0 ? "" : text.slice(-end).replace(/^\S*\s/, "");
  return `${head}${gap}${tail}`;
}
