import { SelectAll } from "../bulk/SelectAll.tsx";
import type { Selection } from "../bulk/use-selection.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { LibraryView } from "./grid-layout.ts";
import { rowColumns } from "./LibraryTile.tsx";

/**
 * The row above the files in the list view. Its headings are hidden from screen readers, which don’t connect them with
 * the values of a list.
 */
export function LibraryListHeader({
  view,
  selection,
  ids,
  hasMore,
}: {
  view: LibraryView;
  selection: Selection;
  /** The files that can be selected. */
  ids: readonly string[];
  hasMore: boolean;
}) {
  const { may } = useStudio();
  const canSelect = may("assets.write");
  if (view === "grid") return null;
  return (
    <div
      className={`flex min-h-9 items-center gap-2 border-b border-rule text-sm text-muted sm:px-1 ${canSelect ? "" : "max-sm:hidden"}`}
    >
      {canSelect && (
        // Aligned with the boxes of the rows, which are centered in their targets.
        <span className="sm:ml-1.5 sm:pointer-coarse:ml-3.5">
          <SelectAll selection={selection} ids={ids} hasMore={hasMore} />
        </span>
      )}
      <span aria-hidden="true" className="ml-auto flex items-center gap-3 max-sm:hidden">
        <span className={rowColumns.type}>Type</span>
        <span className={rowColumns.size}>Size</span>
        <span className={rowColumns.usage}>Usage</span>
      </span>
      <span aria-hidden="true" className={rowColumns.tags}>
        Tags
      </span>
    </div>
  );
}
