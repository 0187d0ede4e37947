import type { ReactNode } from "react";

/** The most tags that a row or tile of a list shows. */
const maxListedTags = 5;

export const tagClasses =
  "inline-block max-w-full cursor-pointer truncate rounded-full border border-rule bg-paper px-2.5 text-[0.8rem]/6 text-muted no-underline hover:border-accent hover:text-accent pointer-coarse:leading-8";

/** The tags of an item in a list. `children` renders each as a link or button that filters the list. */
export function ItemTags({
  tags = [],
  children,
}: {
  tags?: readonly string[] | undefined;
  children: (tag: string) => ReactNode;
}) {
  if (tags.length === 0) return null;
  return (
    <p className="relative mt-1.5 flex max-w-max flex-wrap items-center gap-1.5">
      {tags.slice(0, maxListedTags).map(children)}
      {tags.length > maxListedTags && (
        <span className="text-sm text-muted">and {tags.length - maxListedTags} more tags</span>
      )}
    </p>
  );
}

/** The tag that filters a list; `clear` is the link or button that removes the filter. */
export function ActiveTag({ tag, clear }: { tag: string; clear: ReactNode }) {
  return (
    <p className="mt-0 mb-6 flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="[overflow-wrap:anywhere]">
        Tag: <strong>{tag}</strong>
      </span>
      {clear}
    </p>
  );
}
