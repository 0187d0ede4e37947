import { useDraggable } from "@dnd-kit/core";
import { Link } from "@tanstack/react-router";
import { CalendarPlus } from "lucide-react";
import { useId } from "react";
import { postSummariesQuery, type SharedFilter, type PostSummary } from "../../api/summary-queries.ts";
import { usePagedList } from "../../api/use-paged-list.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { mayPublishWithoutApproval } from "../../publishing/may-publish-without-approval.ts";
import { Button } from "../../ui/Button.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { Loading } from "../../ui/Loading.tsx";
import { QueryStatus } from "../../ui/QueryStatus.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { findShownState } from "../find-shown-state.ts";
import { PostStateBadge } from "../PostStateBadge.tsx";

interface UnscheduledPostsProps {
  filter: SharedFilter;
  /** Whether there are days that a post can be dragged to. */
  canDrag: boolean;
  /** Undefined for users who may not publish or ask for approval. */
  onSchedule: ((post: PostSummary) => void) | undefined;
}

/**
 * The posts that lists show under Drafts and Ready, without missed ones, which are on their day. Requests without a time
 * wait for approval instead.
 */
export function UnscheduledPosts({ filter, canDrag, onSchedule }: UnscheduledPostsProps) {
  const { studio } = useStudio();
  const headingId = useId();
  // Below the grid, most days are out of sight while a post is dragged, and a finger hardly drags that far.
  const isEasyToDrag = useMediaQuery("(min-width: 80rem) and (pointer: fine)");
  const { query, items, isAutoLoading } = usePagedList(
    postSummariesQuery(studio.id, { ...filter, stage: "editing" }, 12),
  );
  const posts = items.filter((post) => findShownState(post) !== "missed");
  const isEmpty = query.isSuccess && posts.length === 0 && !query.hasNextPage;
  return (
    <aside aria-labelledby={headingId} className="min-w-0 rounded-lg bg-sunken p-3">
      <h2 id={headingId} className="text-base">
        Unscheduled
      </h2>
      <p className="mt-0.5 mb-2 text-sm text-muted">
        {describeScheduling({ canDrag: canDrag && isEasyToDrag, onSchedule })}
      </p>
      <QueryStatus query={query} />
      {isEmpty && (
        <p className="m-0 text-sm text-muted">
          {Object.keys(filter).length > 0 ? "No unscheduled posts match." : "No unscheduled posts."}
        </p>
      )}
      <ul aria-labelledby={headingId} className="grid grid-cols-1 gap-1 empty:hidden">
        {posts.map((post) => (
          <UnscheduledPost key={post.id} post={post} canDrag={canDrag} onSchedule={onSchedule} />
        ))}
      </ul>
      {isAutoLoading && <Loading label="Searching older posts…" />}
      {query.hasNextPage && !isAutoLoading && (
        <p className="mt-2 mb-0">
          <Button
            variant="quiet"
            size="small"
            aria-label="Show more unscheduled posts"
            onClick={() => void query.fetchNextPage()}
            busyLabel={query.isFetchingNextPage && "Loading…"}
          >
            Show more
          </Button>
        </p>
      )}
    </aside>
  );
}

function describeScheduling({ canDrag, onSchedule }: Omit<UnscheduledPostsProps, "filter">): string {
  if (!onSchedule) return "Open a post to schedule it.";
  return canDrag
    ? "Drag a post to a day, or choose a time with its calendar button."
    : "Choose a time for a post with its calendar button.";
}

function UnscheduledPost({ post, canDrag, onSchedule }: Omit<UnscheduledPostsProps, "filter"> & { post: PostSummary }) {
  const { studio } = useStudio();
  const isDragDisabled = !canDrag || !onSchedule;
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, isDragging } = useDraggable({
    id: post.id,
    data: { post },
    disabled: isDragDisabled,
  });
  return (
    <li
      ref={setNodeRef}
      // The pointer drags the whole row, the keyboard the button.
      {...listeners}
      className={`flex items-center rounded-md border border-rule bg-raised text-sm hover:border-control ${isDragDisabled ? "" : "cursor-grab touch-manipulation"} ${isDragging ? "opacity-40" : ""}`}
    >
      <Link
        className="flex min-h-control-small min-w-0 flex-1 items-center gap-2 rounded-md px-2.5 py-1 text-ink no-underline hover:text-accent"
        // A dragged link would start the browser's own drag.
        draggable={false}
        to="/studios/$studioId/posts/$postId"
        params={{ studioId: studio.id, postId: post.id }}
      >
        <PostStateBadge post={post} isLabelHidden />
        <span className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]">{post.title}</span>
      </Link>
      {onSchedule && (
        <IconButton
          ref={setActivatorNodeRef}
          icon={CalendarPlus}
          size="small"
          label={`${mayPublishWithoutApproval(studio) ? "Schedule" : "Ask for approval of"} ${post.title}`}
          aria-describedby={isDragDisabled ? undefined : attributes["aria-describedby"]}
          onClick={() => onSchedule(post)}
        />
      )}
    </li>
  );
}

/** The post as it follows the pointer. */
export function DraggedPost({ post }: { post: PostSummary }) {
  return (
    <p className="m-0 w-52 max-w-full cursor-grabbing truncate rounded-md border border-accent bg-raised px-2.5 py-1 text-sm shadow-overlay">
      {post.title}
    </p>
  );
}
