import { Checkbox } from "../ui/Checkbox.tsx";
import type { Selection } from "./use-selection.ts";

/** Selects all listed items, or none. */
export function SelectAll({
  selection,
  ids,
  hasMore,
}: {
  selection: Selection;
  ids: readonly string[];
  /** Whether there are more items that are not loaded. */
  hasMore: boolean;
}) {
  return (
    <Checkbox
      checked={selection.ids.size > 0 && (selection.ids.size === ids.length || "mixed")}
      label={hasMore ? `Select all ${ids.length} loaded` : `Select all ${ids.length}`}
      onChange={(isChecked) => (isChecked ? selection.set(ids) : selection.clear())}
    />
  );
}
