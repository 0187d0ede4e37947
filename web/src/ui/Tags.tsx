import type { ReactNode } from "react";

/** The most tags that a row or tile of a list shows. */
const maxListedTags = 5;

/**
 * On touch, a transparent border makes the target 44 px high, while the tag looks smaller. Muted text has too little
 * contrast in a selected row.
 */
export const tagClasses =
  "inline-block max-w-full cursor-pointer truncate rounded-full bg-hover px-2 text-xs/5 font-medium text-muted no-underline [[data-selected]_&]:text-ink hover:bg-wash hover:text-accent pointer-coarse:min-w-11 pointer-coarse:border-y-8 pointer-coarse:border-transparent pointer-coarse:bg-clip-padding pointer-coarse:px-3 pointer-coarse:text-center pointer-coarse:leading-7";

/** The tags of an item in a list. `children` renders each as a link or button that filters the list. */
export function ItemTags({
  tags = [],
  children,
}: {
  tags?: readonly string[] | undefined;
  children: (tag: string) => ReactNode;
}) {
  if (tags.length === 0) return null;
  const hiddenCount = tags.length - maxListedTags;
  return (
    <p className="relative mt-1.5 flex max-w-max flex-wrap items-center gap-1.5 pointer-coarse:gap-y-0">
      {tags.slice(0, maxListedTags).map(children)}
      {hiddenCount > 0 && (
        <span className="text-sm text-muted">
          and {hiddenCount} more {hiddenCount === 1 ? "tag" : "tags"}
        </span>
      )}
    </p>
  );
}

/** The tag that filters a list; `clear` is the link or button that removes the filter. */
export function ActiveTag({ tag, clear }: { tag: string; clear: ReactNode }) {
  return (
    <p className="mt-0 mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="[overflow-wrap:anywhere]">
        Tag: <strong>{tag}</strong>
      </span>
      {clear}
    </p>
  );
}
