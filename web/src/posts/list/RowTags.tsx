import { Link } from "@tanstack/react-router";
import { tagClasses } from "../../ui/Tags.tsx";

/** The first tag of a row, as a link that filters the list, and how many more. */
export function RowTags({ tags: [tag, ...otherTags] }: { tags: readonly string[] }) {
  if (tag === undefined) return null;
  return (
    // The text beside it gets at least 8 rem. If it could shrink, even a fraction of a pixel would shorten the tag.
    <span className="relative z-1 flex max-w-[calc(100%-8.5rem)] flex-none items-center gap-1">
      <Link
        className={`${tagClasses} max-w-28 min-w-0 pointer-coarse:-my-2`}
        from="/studios/$studioId/posts"
        to="."
        search={(search) => ({ ...search, tag })}
        title={`Show posts with the tag ${tag}`}
      >
        {tag}
      </Link>
      <HiddenTags tags={otherTags} />
    </span>
  );
}

/** The most tags that a row shows on a phone. */
const maxPhoneTags = 2;

/**
 * The same tags on a phone, beside the state and the time. A tag that does not fit wraps to a second line, which is
 * hidden. They are no links, because their targets would cover the row.
 */
export function PhoneTags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <span className="flex h-5 min-w-0 flex-1 flex-wrap gap-x-1 overflow-hidden">
      {/* Takes the first line, so that a first tag that does not fit wraps, too. */}
      <span className="h-5 w-0" />
      {tags.slice(0, maxPhoneTags).map((tag) => (
        <span
          key={tag}
          className="max-w-24 truncate rounded-full bg-hover px-2 text-xs/5 font-medium [[data-selected]_&]:text-ink"
        >
          {tag}
        </span>
      ))}
      <HiddenTags tags={tags.slice(maxPhoneTags)} />
    </span>
  );
}

function HiddenTags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <span className="flex-none text-sm text-muted" title={tags.join(", ")}>
      +{tags.length}
      <span className="sr-only">{tags.length === 1 ? " more tag" : " more tags"}</span>
    </span>
  );
}
