import { useDroppable } from "@dnd-kit/core";
import { useId, type ReactNode } from "react";
import type { PostStatus } from "../../api/queries.ts";
import { postSummariesQuery } from "../../api/summary-queries.ts";
import { usePagedList } from "../../api/use-paged-list.ts";
import { useStudio } from "../../layout/use-studio.ts";
import type { PostSearch } from "../../search-params.ts";
import { Button } from "../../ui/Button.tsx";
import { Loading } from "../../ui/Loading.tsx";
import { QueryStatus } from "../../ui/QueryStatus.tsx";
import { statusColors, statusIcons } from "../../ui/StatusBadge.tsx";
import { boardPageSize } from "../board-page-size.ts";
import { statusLabels } from "../status-labels.ts";
import { toSummaryFilter } from "../to-summary-filter.ts";
import { BoardCard } from "./BoardCard.tsx";

const emptyTexts: Record<PostStatus, ReactNode> = {
  draft: "No drafts.",
  ready: (
    <>
      Nothing is ready. <span className="pointer-coarse:hidden">Drag a draft here when it’s done.</span>
      <span className="hidden pointer-coarse:inline">When a draft is done, mark it ready in its menu.</span>
    </>
  ),
  archived: "Nothing is archived.",
};

export function BoardColumn({ status, search, canDrag }: { status: PostStatus; search: PostSearch; canDrag: boolean }) {
  const { studio } = useStudio();
  const headingId = useId();
  const { setNodeRef, isOver } = useDroppable({ id: status });
  const { query, items, isAutoLoading } = usePagedList(
    postSummariesQuery(studio.id, toSummaryFilter({ ...search, status }), boardPageSize),
  );
  const Icon = statusIcons[status];
  return (
    <section
      ref={setNodeRef}
      aria-labelledby={headingId}
      className={`min-w-0 rounded-lg border p-2 ${isOver ? "border-accent bg-wash" : "border-transparent bg-sunken"}`}
    >
      <h2 id={headingId} className="flex items-center gap-1.5 px-1 pb-2 text-base">
        <Icon size={16} className={statusColors[status]} aria-hidden="true" />
        {statusLabels[status].plural}
        <span className="font-normal text-muted tabular-nums">
          {items.length}
          {query.hasNextPage ? "+" : ""}
          <span className="sr-only"> posts</span>
        </span>
      </h2>
      <QueryStatus query={query} />
      <ul aria-labelledby={headingId} className="grid grid-cols-1 gap-2 empty:hidden">
        {items.map((post) => (
          <BoardCard key={post.id} post={post} canDrag={canDrag} />
        ))}
      </ul>
      {query.isSuccess && items.length === 0 && !query.hasNextPage && (
        <p className="m-0 px-1 py-6 text-center text-sm text-muted">{emptyTexts[status]}</p>
      )}
      {isAutoLoading && <Loading label="Searching older posts…" />}
      {query.hasNextPage && !isAutoLoading && (
        <p className="mt-2 mb-0">
          <Button
            variant="quiet"
            size="small"
            className="w-full"
            aria-label={`Show more ${statusLabels[status].plural.toLowerCase()}`}
            onClick={() => void query.fetchNextPage()}
            busyLabel={query.isFetchingNextPage && "Loading…"}
          >
            Show more
          </Button>
        </p>
      )}
    </section>
  );
}
