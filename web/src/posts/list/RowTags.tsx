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

/**
 * The same in the room that is left beside a title, or beside the state and the time of a narrow row. If it does not
 * fit, it wraps to a second line, which is hidden. It is no link, because the focus could move to a hidden one, and on
 * a phone its target would cover the row.
 */
export function TagsIfRoom({ tags: [tag, ...otherTags] }: { tags: readonly string[] }) {
  if (tag === undefined) return null;
  return (
    <span className="flex h-5 min-w-0 flex-1 flex-wrap overflow-hidden">
      {/* Takes the first line, so that a tag that does not fit wraps. */}
      <span className="h-5 w-0" />
      <span className="flex items-center gap-1">
        <span className="max-w-24 truncate rounded-full bg-hover px-2 text-xs/5 font-medium @md:max-w-48 [[data-selected]_&]:text-ink">
          {tag}
        </span>
        <HiddenTags tags={otherTags} />
      </span>
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
