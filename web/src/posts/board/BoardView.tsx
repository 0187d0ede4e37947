import { DndContext, DragOverlay, type Announcements } from "@dnd-kit/core";
import { useRef, useState } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { postGroups, type PostGroup, type PostSearch } from "../../search-params.ts";
import { ReviewFilter } from "../../reviews/ReviewFilter.tsx";
import { findDropTarget, useDragSensors, type GetNeighbor } from "../drag-and-drop.ts";
import { usePostDialogs } from "../PostDialogs.tsx";
import { PostFilters } from "../PostFilters.tsx";
import { groupLabels } from "../post-groups.ts";
import { useChangePost } from "../use-change-post.ts";
import { useRowKeys } from "../use-row-keys.ts";
import { BoardCardContent } from "./BoardCard.tsx";
import { BoardColumn } from "./BoardColumn.tsx";

/**
 * The posts in a column for each group. Dragging a post to another column changes its status, or opens the dialog to
 * schedule it.
 */
export function BoardView({ search }: { search: PostSearch }) {
  const { may } = useStudio();
  const { setStatus } = useChangePost();
  const [draggedPost, setDraggedPost] = useState<PostSummary>();
  const { schedule } = usePostDialogs();
  const isShowingArchived = search.archived === true;
  const columns = isShowingArchived ? postGroups : postGroups.filter((group) => group !== "archived");
  /** Only publishing makes a post published, and an archived post can't be scheduled. */
  const canDrop = (group: PostGroup, post: PostSummary | undefined): boolean =>
    group === "scheduled" ? may("publications.request") && post?.status !== "archived" : group !== "published";
  // The keyboard sensor calls the function of the render in which the drag started.
  const latestDraggedPost = useRef<PostSummary>(undefined);
  const getNeighbor: GetNeighbor = (columnId, key) => {
    const targets = columns.filter((group) => canDrop(group, latestDraggedPost.current));
    const index = targets.indexOf(columnId as PostGroup);
    if (key === "ArrowRight") return targets[index + 1];
    return key === "ArrowLeft" ? targets[index - 1] : undefined;
  };

  function move(post: PostSummary, group: PostGroup): void {
    if (group === "scheduled") schedule(post);
    else if (group !== "published" && group !== post.status) void setStatus(post, group);
  }
  const sensors = useDragSensors(getNeighbor);
  const columnGrid = useRef<HTMLDivElement>(null);
  useRowKeys(columnGrid);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <PostFilters search={search} hasArchivedFilter>
          <ReviewFilter search={search} />
        </PostFilters>
      </div>
      <DndContext
        sensors={sensors}
        collisionDetection={findDropTarget}
        accessibility={{ announcements, screenReaderInstructions }}
        onDragStart={({ active }) => {
          latestDraggedPost.current = active.data.current?.["post"] as PostSummary;
          setDraggedPost(latestDraggedPost.current);
        }}
        onDragCancel={() => setDraggedPost(undefined)}
        onDragEnd={({ active, over }) => {
          setDraggedPost(undefined);
          const post = active.data.current?.["post"] as PostSummary;
          if (over) move(post, over.id as PostGroup);
        }}
      >
        <div
          ref={columnGrid}
          // Scrolls into the margins of `StudioLayout`. Relative, so that it clips hidden labels, too. Snapping would stop
          // the scrolling of a drag to its edge.
          className={`relative -mx-4 -my-1 grid scroll-px-4 auto-cols-[minmax(13rem,1fr)] grid-flow-col gap-3 overflow-x-auto px-4 py-1 md:-mx-[clamp(1.5rem,3vw,2.5rem)] md:scroll-px-[clamp(1.5rem,3vw,2.5rem)] md:px-[clamp(1.5rem,3vw,2.5rem)] max-sm:auto-cols-[minmax(min(17rem,85%),1fr)] pointer-coarse:auto-cols-[minmax(min(17rem,85%),1fr)] ${draggedPost ? "" : "max-sm:snap-x max-sm:snap-mandatory"}`}
        >
          {columns.map((group) => (
            <BoardColumn
              key={group}
              group={group}
              search={search}
              canDrag={may("posts.write") && group !== "scheduled" && group !== "published"}
              canDrop={canDrop(group, draggedPost)}
            />
          ))}
        </div>
        <DragOverlay dropAnimation={null}>
          {draggedPost && (
            <div className="cursor-grabbing rounded-md border border-accent bg-raised p-3 shadow-overlay">
              <BoardCardContent post={draggedPost} />
            </div>
          )}
        </DragOverlay>
      </DndContext>
    </>
  );
}

const getTitle = (active: { data: { current?: Record<string, unknown> | undefined } }): string => {
  const post = active.data.current?.["post"] as PostSummary | undefined;
  return post?.title ?? "";
};
const getColumnLabel = (over: { id: string | number } | null): string | undefined =>
  over ? groupLabels[over.id as PostGroup] : undefined;

const announcements: Announcements = {
  onDragStart: ({ active }) => `Picked up ${getTitle(active)}.`,
  onDragOver: ({ over }) => getColumnLabel(over),
  onDragEnd: ({ active, over }) =>
    over?.id === "scheduled"
      ? `Choose when to publish ${getTitle(active)}.`
      : `Dropped ${getTitle(active)} in ${getColumnLabel(over) ?? "its column"}.`,
  onDragCancel: ({ active }) => `Canceled. ${getTitle(active)} stays where it was.`,
};

const screenReaderInstructions = {
  draggable:
    "To move the post to another column, press Space, choose the column with the left and right arrow keys, and press Space again. Escape cancels.",
};
