import { Fragment } from "react";
import type { PostSummary } from "../api/summary-queries.ts";

interface PostExcerptProps {
  post: Pick<PostSummary, "excerpt" | "match">;
  /** How many characters to show before the first match, where only one line is shown. */
  maxLeadLength?: number;
}

const sourceLabels = { text: "", account: "In a text for an account: ", comment: "In a comment: " };

/** The start of a post's text; in a search, the part that matches, with the matching words marked. */
export function PostExcerpt({ post: { excerpt, match }, maxLeadLength = Infinity }: PostExcerptProps) {
  if (!match) return excerpt;
  const { text, marks, source } = match;
  const leadStart = findLeadStart(text, marks[0]?.[0] ?? 0, maxLeadLength);
  return (
    <>
      {sourceLabels[source]}
      {leadStart > 0 && "…"}
      {marks.map(([start, end], i) => (
        <Fragment key={start}>
          {text.slice(marks[i - 1]?.[1] ?? leadStart, start)}
          <mark className="rounded-sm bg-warning-wash text-ink">{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(marks.at(-1)?.[1] ?? 0)}
    </>
  );
}

/** Returns where the shown text starts: at a word, at most `maxLength` characters before the first match. */
function findLeadStart(text: string, firstMatch: number, maxLength: number): number {
  if (firstMatch <= maxLength) return 0;
  const spaceIndex = text.indexOf(" ", firstMatch - maxLength);
  return spaceIndex >= 0 && spaceIndex < firstMatch ? spaceIndex + 1 : firstMatch;
}
