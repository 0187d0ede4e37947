import { useMemo, useRef } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import type { ListQuery } from "../../api/use-paged-list.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { Checkbox } from "../../ui/Checkbox.tsx";
import { Loading } from "../../ui/Loading.tsx";
import { BulkBar } from "./BulkBar.tsx";
import type { Density } from "./use-density.ts";
import { useRowLayout } from "./use-row-layout.ts";
import { useSelection } from "../../bulk/use-selection.ts";
import { useSelectionKeys } from "../../bulk/use-selection-keys.ts";
import { useRowKeys } from "../use-row-keys.ts";
import { PostRows } from "./PostRows.tsx";

/** The posts as rows, with a selection for users who may change them. */
export function PostListView({ list, density }: { list: ListQuery<PostSummary>; density: Density }) {
  const { may } = useStudio();
  const { items, isAutoLoading } = list;
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const selection = useSelection(ids);
  const canSelect = may("posts.write");
  const container = useRef<HTMLDivElement>(null);
  const layout = useRowLayout(container);
  useRowKeys(container);
  useSelectionKeys({ selection, ids, itemName: "post", group: "Posts", isEnabled: canSelect });
  return (
    <div ref={container} className="@container">
      {items.length > 0 && canSelect && (
        <div className="flex min-h-9 items-center text-sm text-muted sm:px-2">
          {/* Aligned with the boxes of the rows, which are centered in their targets. */}
          <span className="sm:ml-1.5 sm:pointer-coarse:ml-3.5">
            <Checkbox
              checked={selection.ids.size > 0 && (selection.ids.size === ids.length || "mixed")}
              label={list.query.hasNextPage ? `Select the ${ids.length} loaded posts` : `Select all ${ids.length}`}
              onChange={(isChecked) => (isChecked ? selection.set(ids) : selection.clear())}
            />
          </span>
        </div>
      )}
      {items.length > 0 && (
        <PostRows list={list} density={density} layout={layout} selection={canSelect ? selection : undefined} />
      )}
      {isAutoLoading && <Loading label="Searching older posts…" />}
      {canSelect && <BulkBar posts={items} selection={selection} />}
    </div>
  );
}
