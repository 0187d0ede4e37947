import { useDroppable } from "@dnd-kit/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { postCountQuery, postSummariesQuery, type PostCount } from "../../api/summary-queries.ts";
import { usePagedList } from "../../api/use-paged-list.ts";
import { useStudio } from "../../layout/use-studio.ts";
import type { PostGroup, PostSearch } from "../../search-params.ts";
import { Button } from "../../ui/Button.tsx";
import { Loading } from "../../ui/Loading.tsx";
import { QueryStatus } from "../../ui/QueryStatus.tsx";
import { boardPageSize } from "../board-page-size.ts";
import { groupIcons, groupLabels } from "../post-groups.ts";
import { toSummaryFilter } from "../to-summary-filter.ts";
import { BoardCard } from "./BoardCard.tsx";

const emptyTexts: Record<PostGroup, string> = {
  draft: "No drafts.",
  ready: "Nothing is ready.",
  scheduled: "Nothing is scheduled.",
  published: "Nothing is published yet.",
  archived: "Nothing is archived.",
};

const readyHint = (
  <>
    <span className="pointer-coarse:hidden">Drag a draft here when it’s done.</span>
    <span className="hidden pointer-coarse:inline">When a draft is done, mark it ready in its menu.</span>
  </>
);

export function BoardColumn({
  group,
  search,
  canDrag,
  canDrop,
}: {
  group: PostGroup;
  search: PostSearch;
  /** Whether the user can drag the posts of this column to others. */
  canDrag: boolean;
  canDrop: boolean;
}) {
  const { studio } = useStudio();
  const headingId = useId();
  const { setNodeRef, isOver } = useDroppable({ id: group, disabled: !canDrop });
  const filter = toSummaryFilter({ ...search, status: group });
  const { query, items, isAutoLoading } = usePagedList(postSummariesQuery(studio.id, filter, boardPageSize));
  const { data: total } = useQuery({ ...postCountQuery(studio.id, filter), enabled: query.hasNextPage });
  const { icon: Icon, color } = groupIcons[group];
  return (
    <section
      ref={setNodeRef}
      aria-labelledby={headingId}
      className={`min-w-0 snap-start rounded-lg border p-2 ${isOver ? "border-accent bg-wash" : "border-transparent bg-sunken"}`}
    >
      <h2 id={headingId} className="flex items-center gap-1.5 px-1 pb-2 text-base">
        <Icon size={16} className={color} aria-hidden="true" />
        {groupLabels[group]}
        <span className="font-normal text-muted tabular-nums">
          {formatCount(total, items.length, query.hasNextPage)}
          <span className="sr-only">{items.length === 1 ? " post" : " posts"}</span>
        </span>
      </h2>
      <QueryStatus query={query} />
      <ul aria-labelledby={headingId} className="grid grid-cols-1 gap-2 empty:hidden">
        {items.map((post) => (
          <BoardCard key={post.id} post={post} canDrag={canDrag} />
        ))}
      </ul>
      {query.isSuccess && items.length === 0 && !query.hasNextPage && (
        <p className="m-0 px-1 py-6 text-center text-sm text-muted">
          {emptyTexts[group]} {group === "ready" && canDrag && readyHint}
        </p>
      )}
      {isAutoLoading && <Loading label="Searching older posts…" />}
      {query.hasNextPage && !isAutoLoading && (
        <p className="mt-2 mb-0">
          <Button
            variant="quiet"
            size="small"
            className="w-full"
            aria-label={`Show more: ${groupLabels[group]}`}
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

/** The total is requested apart from the posts, so it can be lower than what is shown. */
function formatCount(total: PostCount | undefined, loadedCount: number, hasMore: boolean): string {
  if (!hasMore) return String(loadedCount);
  if (!total || total.count <= loadedCount) return `${loadedCount}+`;
  return `${total.count.toLocaleString("en")}${total.isTruncated ? "+" : ""}`;
}
