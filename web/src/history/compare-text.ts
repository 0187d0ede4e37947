import { diffArrays, diffWords } from "diff";

export interface TextPart {
  kind: "same" | "added" | "removed";
  text: string;
}

/** A comparison that takes longer is stopped, and both texts are shown in full. */
const timeoutMs = 400;
/** The number of unchanged characters to show on either side of a change. */
const contextLength = 70;
const ellipsis = " … ";

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** Lists the differences word by word. Long unchanged parts are shortened. */
export function compareText(before: string, after: string): TextPart[] {
  const changes = diffWords(before, after, { intlSegmenter: wordSegmenter, timeout: timeoutMs });
  if (!changes)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  const parts = changes.map((change): TextPart => ({ kind: getKind(change), text: change.value }));
  return parts.flatMap((part, i) =>
    part.kind === "same"
      ? { ...part, text: shorten(part.text, i === 0, i === parts.length - 1) }
      : separateSpaces(part),
  );
}

/** Separates the spaces around changed words, so that no line is drawn over them. A change of spaces only stays. */
function separateSpaces({ kind, text }: TextPart): TextPart[] {
  const words = text.trim();
  if (words === "") return [{ kind, text }];
  const start = text.indexOf(words);
  return [
    { kind: "same" as const, text: text.slice(0, start) },
    { kind, text: words },
    { kind: "same" as const, text: text.slice(start + words.length) },
  ].filter((part) => part.text !== "");
}

/** Lists all lines of two texts, such as names of files. */
export const compareLines = (before: string, after: string): TextPart[] =>
  diffArrays(before.split("\n"), after.split("\n")).flatMap((change) =>
    change.value.map((text) => ({ kind: getKind(change), text })),
  );

function getKind({ added, removed }: { added: boolean; removed: boolean }): TextPart["kind"] {
  if (added) return "added";
  return removed ? "removed" : "same";
}

function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  const headLength = isFirst ? 0 : contextLength;
  const tailLength = isLast ? 0 : contextLength;
  if (text.length <= headLength + tailLength + ellipsis.length) return text;
  const head = text.slice(0, headLength).replace(/\s\S*$/, "");
  const tail = tailLength === 0 ? "" : text.slice(-tailLength).replace(/^\S*\s/, "");
  return `${head}${ellipsis}${tail}`;
}
