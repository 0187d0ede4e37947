import { getRouteApi, Link } from "@tanstack/react-router";
import { tagClasses } from "../ui/Tags.tsx";

const maxVisibleTags = 2;

const route = getRouteApi("/studios/$studioId/assets");

/** The first tags of a file, in one line. Each is a link that filters the library. */
export function TileTags({ tags = [], className = "" }: { tags?: readonly string[] | undefined; className?: string }) {
  if (tags.length === 0) return null;
  return (
    <p className={`relative m-0 flex h-7 min-w-0 items-center gap-1 overflow-hidden pointer-coarse:h-11 ${className}`}>
      {tags.slice(0, maxVisibleTags).map((tag, i) => (
        <Link
          key={tag}
          // The first tag keeps its width, and the second uses what remains.
          className={`${i === 0 ? "max-w-[65%] flex-none" : "min-w-0 shrink"} ${tagClasses}`}
          from={route.id}
          to="."
          search={({ file: _, ...current }) => ({ ...current, tag })}
          title={`Show files with the tag ${tag}`}
        >
          {tag}
        </Link>
      ))}
      {tags.length > maxVisibleTags && (
        <span className="flex-none text-xs text-muted" title={tags.slice(maxVisibleTags).join(", ")}>
          +{tags.length - maxVisibleTags}
          <span className="sr-only"> more {tags.length - maxVisibleTags === 1 ? "tag" : "tags"}</span>
        </span>
      )}
    </p>
  );
}
