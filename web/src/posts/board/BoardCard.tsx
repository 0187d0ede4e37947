import { useDraggable } from "@dnd-kit/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { GripVertical } from "lucide-react";
import type { PostSummary } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { formatActor } from "../../ui/format-actor.ts";
import { countPartlyPublished } from "../../publishing/find-main-state.ts";
import { ReviewBadge } from "../../reviews/ReviewBadge.tsx";
import { Thumbnail } from "../../ui/Thumbnail.tsx";
import { AccountStates } from "../AccountStates.tsx";
import { waitsForChanges } from "../describe-post-state.ts";
import { findShownState } from "../find-shown-state.ts";
import { OpenThreadCount } from "../OpenThreadCount.tsx";
import { sortMatchingTags } from "../list/sort-matching-tags.ts";
import { findGroup } from "../post-groups.ts";
import { PostExcerpt } from "../PostExcerpt.tsx";
import { PostMenu } from "../PostMenu.tsx";
import { PostStateBadge } from "../PostStateBadge.tsx";
import { PostTime } from "../PostTime.tsx";

const route = getRouteApi("/studios/$studioId/posts");

const maxTags = 4;

const titleClasses = "line-clamp-3 font-medium [overflow-wrap:anywhere]";

export function BoardCard({ post, canDrag }: { post: PostSummary; canDrag: boolean }) {
  const { studio } = useStudio();
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, isDragging } = useDraggable({
    id: post.id,
    data: { post },
    disabled: !canDrag,
  });
  return (
    <li
      ref={setNodeRef}
      // The pointer drags the whole card, the keyboard the handle.
      {...listeners}
      className={`group relative scroll-my-20 rounded-md border border-rule bg-raised p-3 hover:border-control ${canDrag ? "cursor-grab touch-manipulation" : ""} ${isDragging ? "opacity-40" : ""}`}
    >
      <CardState post={post} />
      <div className="flex items-start gap-1">
        <h3 className={`min-w-0 flex-1 ${titleClasses}`}>
          <Link
            className="text-ink no-underline group-hover:text-accent after:absolute after:inset-0 after:rounded-md focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
            // A dragged link would start the browser's own drag.
            draggable={false}
            to="/studios/$studioId/posts/$postId"
            params={{ studioId: studio.id, postId: post.id }}
          >
            {post.title}
          </Link>
        </h3>
        <span className="relative z-1 -mt-1 -mr-1.5 flex flex-none pointer-coarse:-mt-2.5 pointer-coarse:-mb-2">
          {canDrag && (
            <button
              {...attributes}
              ref={setActivatorNodeRef}
              type="button"
              aria-label={`Move ${post.title}`}
              className="grid size-control-small cursor-grab place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
            >
              <GripVertical size={16} aria-hidden="true" />
            </button>
          )}
          <PostMenu post={post} />
        </span>
      </div>
      <BoardCardDetails post={post} />
    </li>
  );
}

/** The card without its controls, as it follows the pointer. */
export function BoardCardContent({ post }: { post: PostSummary }) {
  return (
    <>
      <CardState post={post} />
      <p className={`m-0 ${titleClasses}`}>{post.title}</p>
      <BoardCardDetails post={post} />
    </>
  );
}

/** First on the card: what its column does not say, such as that something went wrong or waits for a person. */
function CardState({ post }: { post: PostSummary }) {
  const state = findShownState(post);
  const isPartlyPublished = countPartlyPublished(post.publications) !== undefined;
  const saysMoreThanColumn =
    state === undefined ? waitsForChanges(post) : state !== findGroup(post) || isPartlyPublished;
  if (!saysMoreThanColumn) return null;
  return (
    <p className="mt-0 mb-1 font-medium">
      <PostStateBadge post={post} />
    </p>
  );
}

function BoardCardDetails({ post }: { post: PostSummary }) {
  const search = route.useSearch();
  const { studio } = useStudio();
  const client = post.createdByClient === null ? null : { name: post.createdByClient };
  return (
    <>
      {post.excerpt !== "" && (
        <p className="mt-1 mb-0 line-clamp-2 text-sm text-muted">
          <PostExcerpt post={post} />
        </p>
      )}
      {post.assets.length > 0 && (
        <p className="mt-2 mb-0 flex items-center gap-1.5">
          {post.assets.map((asset) => (
            <Thumbnail key={asset.id} asset={{ ...asset, altText: "" }} size="small" />
          ))}
          {post.assetCount > post.assets.length && (
            <span className="text-sm text-muted">+{post.assetCount - post.assets.length}</span>
          )}
          <span className="sr-only">{post.assetCount === 1 ? "1 file" : `${post.assetCount} files`}</span>
        </p>
      )}
      {post.tags.length > 0 && (
        <p className="mt-2 mb-0 flex flex-wrap gap-1 text-xs text-muted">
          {sortMatchingTags(post.tags, search)
            .slice(0, maxTags)
            .map((tag, i) => (
              <span key={tag} className="flex max-w-full gap-1">
                <span className="truncate rounded-full border border-rule px-2">{tag}</span>
                {/* In the same line as the last tag, which shrinks if necessary. */}
                {i === maxTags - 1 && post.tags.length > maxTags && (
                  <span className="flex-none">
                    +{post.tags.length - maxTags}
                    <span className="sr-only"> more tags</span>
                  </span>
                )}
              </span>
            ))}
        </p>
      )}
      <div className="mt-2 flex items-end gap-x-3 text-sm text-muted">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <ReviewBadge post={post} />
          <PostTime post={post} timezone={studio.timezone} />
          <AccountStates post={post} limit={2} platforms="beside" />
          <OpenThreadCount post={post} />
        </div>
        <span className="flex flex-none">
          <Avatar name={post.createdBy.name} client={client} size="small" />
          <span className="sr-only">{formatActor(post.createdBy, client)}</span>
        </span>
      </div>
    </>
  );
}
