import { Fragment } from "react";
import type { PostSummary } from "../api/summary-queries.ts";

/** The start of a post's text; in a search, the part that matches, with the matching words marked. */
export function PostExcerpt({ post: { excerpt, match } }: { post: Pick<PostSummary, "excerpt" | "match"> }) {
  if (!match) return excerpt;
  const { text, marks } = match;
  return (
    <>
      {marks.map(([start, end], i) => (
        <Fragment key={start}>
          {text.slice(marks[i - 1]?.[1] ?? 0, start)}
          <mark className="rounded-sm bg-warning-wash text-ink">{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(marks.at(-1)?.[1] ?? 0)}
    </>
  );
}
