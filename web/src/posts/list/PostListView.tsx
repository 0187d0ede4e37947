import { ArrowDown } from "lucide-react";
import { useMemo, useRef } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import type { ListQuery } from "../../api/use-paged-list.ts";
import { useStudio } from "../../layout/use-studio.ts";
import type { PostSearch } from "../../search-params.ts";
import { Loading } from "../../ui/Loading.tsx";
import { BulkBar } from "./BulkBar.tsx";
import { useColumns } from "./columns.ts";
import { ListHeadings } from "./ListHeadings.tsx";
import type { Density } from "./use-density.ts";
import { useRowLayout } from "./use-row-layout.ts";
import { SelectAll } from "../../bulk/SelectAll.tsx";
import { useSelection } from "../../bulk/use-selection.ts";
import { useSelectionKeys } from "../../bulk/use-selection-keys.ts";
import { toSummaryFilter } from "../to-summary-filter.ts";
import { useRowKeys } from "../use-row-keys.ts";
import { PostRows } from "./PostRows.tsx";

/** The posts as rows, with a selection for users who may change them. */
export function PostListView({
  list,
  density,
  search,
}: {
  list: ListQuery<PostSummary>;
  density: Density;
  /** What the list is searched for and filtered by. */
  search: PostSearch;
}) {
  const { may } = useStudio();
  const { items, isAutoLoading } = list;
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const selection = useSelection(ids);
  const canSelect = may("posts.write");
  const container = useRef<HTMLDivElement>(null);
  const layout = useRowLayout(container);
  const columns = useColumns(items, density);
  useRowKeys(container);
  useSelectionKeys({ selection, ids, itemName: "post", group: "Posts", isEnabled: canSelect });
  return (
    <div ref={container} className="@container">
      {items.length > 0 && (
        <>
          <div className="flex min-h-9 items-center gap-x-3 text-sm text-muted sm:px-2">
            {canSelect && (
              // Aligned with the boxes of the rows, which are centered in their targets.
              <span className="sm:ml-1.5 sm:pointer-coarse:ml-3.5">
                <SelectAll selection={selection} ids={ids} hasMore={list.query.hasNextPage} />
              </span>
            )}
            {/* Not “Newest first”: the dates in the rows are also those that posts are planned for. */}
            <span className={`flex items-center gap-1 ${layout === "narrow" ? "ml-auto" : "ml-6"}`}>
              <ArrowDown size={14} className="flex-none" aria-hidden="true" />
              {toSummaryFilter(search).order === "soonest" ? "Soonest first" : "Newest created first"}
            </span>
            <ListHeadings columns={columns} layout={layout} />
          </div>
          <PostRows
            list={list}
            density={density}
            layout={layout}
            columns={columns}
            search={search}
            selection={canSelect ? selection : undefined}
          />
        </>
      )}
      {isAutoLoading && <Loading label="Searching older posts…" />}
      {canSelect && (
        <BulkBar posts={items} total={list.query.hasNextPage ? undefined : items.length} selection={selection} />
      )}
    </div>
  );
}
