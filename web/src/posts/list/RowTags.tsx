import { Link } from "@tanstack/react-router";
import { tagClasses } from "../../ui/Tags.tsx";

/** The most tags that a row shows. */
const maxTags = 2;

/** Takes the first line, so that a first tag that does not fit wraps, too. */
const firstLine = <span className="h-full w-0" />;

/** The first tags of a row, as links that filter the list, and how many more. */
export function RowTags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    // The text beside it gets at least 8 rem. A tag that does not fit wraps to a second line, which is hidden; the
    // margin of the clip keeps the targets on touch screens.
    <span className="relative z-1 flex h-5 max-w-[calc(100%-8.5rem)] flex-none flex-wrap items-center gap-x-1 gap-y-4 overflow-clip [overflow-clip-margin:0.5rem] pointer-coarse:h-7">
      {firstLine}
      {tags.slice(0, maxTags).map((tag) => (
        <Link
          key={tag}
          className={`${tagClasses} max-w-28 flex-none pointer-coarse:-my-2`}
          from="/studios/$studioId/posts"
          to="."
          search={(search) => ({ ...search, tag })}
          title={`Show posts with the tag ${tag}`}
        >
          {tag}
        </Link>
      ))}
      <HiddenTags tags={tags} />
    </span>
  );
}

/**
 * The same tags on a phone, beside the state and the time. A tag that does not fit wraps to a second line, which is
 * hidden. They are no links, because their targets would cover the row.
 */
export function PhoneTags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <span className="flex h-5 min-w-0 flex-1 flex-wrap gap-x-1 overflow-hidden">
      {firstLine}
      {tags.slice(0, maxTags).map((tag) => (
        <span
          key={tag}
          className="max-w-24 truncate rounded-full bg-hover px-2 text-xs/5 font-medium [[data-selected]_&]:text-ink"
        >
          {tag}
        </span>
      ))}
      <HiddenTags tags={tags} />
    </span>
  );
}

function HiddenTags({ tags }: { tags: readonly string[] }) {
  const count = tags.length - maxTags;
  if (count <= 0) return null;
  return (
    <span className="flex-none text-sm text-muted" title={tags.slice(maxTags).join(", ")}>
      +{count}
      <span className="sr-only">{count === 1 ? " more tag" : " more tags"}</span>
    </span>
  );
}
