import { ListChecks, Unlink, X } from "lucide-react";
import type { BulkActionsState } from "../assets/use-bulk-actions.ts";
import { FailureDialog } from "../bulk/FailureDialog.tsx";
import { Button } from "../ui/Button.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { SelectionBar } from "../ui/SelectionBar.tsx";
import type { FileSelection } from "./use-file-selection.ts";

/**
 * The button that starts and ends the selection mode, and "Select all". Starting and ending share one button, so that
 * it keeps the focus.
 */
export function SelectFilesButtons({ selection }: { selection: FileSelection }) {
  const { isActive, isAvailable, toggleButton } = selection;
  if (!isAvailable) return null;
  return (
    <div className="flex items-center gap-1">
      <IconButton
        ref={toggleButton}
        icon={isActive ? X : ListChecks}
        size="small"
        label={isActive ? "Stop selecting" : "Select files"}
        onClick={isActive ? selection.clear : selection.start}
      />
      {isActive && (
        <Button variant="quiet" size="small" onClick={selection.selectAll}>
          Select all
        </Button>
      )}
    </div>
  );
}

/** The bar that removes the selected files from the post. */
export function SelectedFilesBar({
  selection,
  bulk: { progress, report, closeReport },
  onRemove,
}: {
  selection: FileSelection;
  bulk: BulkActionsState;
  onRemove: () => void;
}) {
  return (
    <>
      <SelectionBar
        count={selection.isActive ? (progress?.totalCount ?? selection.ids.size) : 0}
        onClear={selection.clear}
      >
        {progress ? (
          <p className="m-0 px-2 text-muted tabular-nums">{progress.label}</p>
        ) : (
          <Button variant="quiet" icon={Unlink} onClick={onRemove}>
            Remove from post
          </Button>
        )}
      </SelectionBar>
      {report && <FailureDialog {...report} getName={({ filename }) => filename} onClose={closeReport} />}
    </>
  );
}
