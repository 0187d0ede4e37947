import { DndContext, DragOverlay, type Announcements } from "@dnd-kit/core";
import { useRef, useState } from "react";
import type { PostStatus } from "../../api/queries.ts";
import type { PostSummary } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import type { PostSearch } from "../../search-params.ts";
import { findDropTarget, useDragSensors, type GetNeighbor } from "../drag-and-drop.ts";
import { PostFilters } from "../PostFilters.tsx";
import { statusLabels } from "../status-labels.ts";
import { useChangePost } from "../use-change-post.ts";
import { useRowKeys } from "../use-row-keys.ts";
import { BoardCardContent } from "./BoardCard.tsx";
import { BoardColumn } from "./BoardColumn.tsx";

/** The posts in a column for each status. Dragging a post to another column changes its status. */
export function BoardView({ search }: { search: PostSearch }) {
  const { may } = useStudio();
  const { setStatus } = useChangePost();
  const [draggedPost, setDraggedPost] = useState<PostSummary>();
  const isShowingArchived = search.archived === true;
  const columns: readonly PostStatus[] = isShowingArchived ? ["draft", "ready", "archived"] : ["draft", "ready"];
  const getNeighbor: GetNeighbor = (columnId, key) => {
    const index = columns.indexOf(columnId as PostStatus);
    if (key === "ArrowRight") return columns[index + 1];
    return key === "ArrowLeft" ? columns[index - 1] : undefined;
  };
  const sensors = useDragSensors(getNeighbor);
  const columnGrid = useRef<HTMLDivElement>(null);
  useRowKeys(columnGrid);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <PostFilters search={search} hasArchivedFilter />
      </div>
      <DndContext
        sensors={sensors}
        collisionDetection={findDropTarget}
        accessibility={{ announcements, screenReaderInstructions }}
        onDragStart={({ active }) => setDraggedPost(active.data.current?.["post"] as PostSummary)}
        onDragCancel={() => setDraggedPost(undefined)}
        onDragEnd={({ active, over }) => {
          setDraggedPost(undefined);
          const post = active.data.current?.["post"] as PostSummary;
          if (over && over.id !== post.status) void setStatus(post, over.id as PostStatus);
        }}
      >
        <div
          ref={columnGrid}
          className={`grid items-start gap-3 max-sm:grid-cols-1 sm:grid-cols-2 ${isShowingArchived ? "lg:grid-cols-3" : ""}`}
        >
          {columns.map((status) => (
            <BoardColumn key={status} status={status} search={search} canDrag={may("posts.write")} />
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
  over ? statusLabels[over.id as PostStatus].plural : undefined;

const announcements: Announcements = {
  onDragStart: ({ active }) => `Picked up ${getTitle(active)}.`,
  onDragOver: ({ over }) => getColumnLabel(over),
  onDragEnd: ({ active, over }) => `Dropped ${getTitle(active)} in ${getColumnLabel(over) ?? "its column"}.`,
  onDragCancel: ({ active }) => `Canceled. ${getTitle(active)} stays where it was.`,
};

const screenReaderInstructions = {
  draggable:
    "To move the post to another column, press Space, choose the column with the left and right arrow keys, and press Space again. Escape cancels.",
};
