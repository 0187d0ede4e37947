import { Link } from "@tanstack/react-router";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { statusLabels } from "./status-labels.ts";

export function PostRow({ post }: { post: Post }) {
  const { studio } = useStudio();
  const excerpt = post.body.slice(0, 240).replace(/\s+/g, " ").trim();
  return (
    <li className={`post-row ${post.status}`}>
      <div className="min-w-0">
        <h2 className="text-xl">
          <Link
            className="row-link"
            to="/studios/$studioId/posts/$postId"
            params={{ studioId: studio.id, postId: post.id }}
          >
            {post.title}
          </Link>
        </h2>
        <p className="mt-1 line-clamp-1 text-muted">{excerpt === "" ? "No text yet" : excerpt}</p>
      </div>
      <p className="meta">
        <span className={`status ${post.status}`}>{statusLabels[post.status].singular}</span>
        <span>{formatFileCount(post.assets.length)}</span>
        <RelativeTime at={post.updatedAt} timezone={studio.timezone} />
      </p>
    </li>
  );
}

function formatFileCount(files: number): string {
  if (files === 0) return "";
  return files === 1 ? "1 file" : `${files} files`;
}
