import { Link } from "@tanstack/react-router";
import type { Post, PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { ListRow } from "../ui/List.tsx";
import { ItemTags, tagClasses } from "../ui/Tags.tsx";
import { statusLabels } from "./status-labels.ts";

const statusMarkClasses: Record<PostStatus, string> = {
  draft: "rounded-full border-muted",
  ready: "rounded-full border-accent bg-accent forced-colors:bg-[CanvasText]",
  archived: "border-muted",
};

export function PostRow({ post }: { post: Post }) {
  const { studio } = useStudio();
  const excerpt = post.body.slice(0, 240).replace(/\s+/g, " ").trim();
  return (
    <ListRow align="baseline" className="group relative">
      <div className="min-w-0">
        <h2 className="text-xl">
          <Link
            // Covers the row, so that all of it can be clicked.
            className={`no-underline [overflow-wrap:anywhere] group-hover:text-accent after:absolute after:inset-0 ${post.status === "archived" ? "text-muted" : "text-ink"}`}
            to="/studios/$studioId/posts/$postId"
            params={{ studioId: studio.id, postId: post.id }}
          >
            {post.title}
          </Link>
        </h2>
        <p className="mt-1 line-clamp-1 text-muted">{excerpt === "" ? "No text yet" : excerpt}</p>
        <ItemTags tags={post.tags}>
          {(tag) => (
            <Link
              key={tag}
              className={tagClasses}
              from="/studios/$studioId/posts"
              to="."
              search={(search) => ({ ...search, tag })}
              title={`Show posts with the tag ${tag}`}
            >
              {tag}
            </Link>
          )}
        </ItemTags>
      </div>
      <p className="m-0 grid grid-cols-[5.5rem_3.5rem_6.5rem] gap-4 text-[0.9rem] whitespace-nowrap text-muted max-sm:flex max-sm:gap-5">
        <span>
          <span
            className={`mr-2 inline-block size-2.5 border-[1.5px] ${statusMarkClasses[post.status]}`}
            aria-hidden="true"
          />
          {statusLabels[post.status].singular}
        </span>
        <span className="max-sm:empty:hidden">{formatFileCount(post.assets.length)}</span>
        <span className="text-right">
          <RelativeTime at={post.updatedAt} timezone={studio.timezone} />
        </span>
      </p>
    </ListRow>
  );
}

function formatFileCount(files: number): string {
  if (files === 0) return "";
  return files === 1 ? "1 file" : `${files} files`;
}
