import { FilePlus2, Tag, Trash2, type LucideIcon } from "lucide-react";
import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { Button } from "../ui/Button.tsx";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { SelectionBar } from "../ui/SelectionBar.tsx";
import { AddToPostDialog } from "./AddToPostDialog.tsx";
import { BulkTagsDialog } from "./BulkTagsDialog.tsx";
import { useBulkActions } from "./use-bulk-actions.ts";
import { FailureDialog } from "../bulk/FailureDialog.tsx";
import type { Selection } from "../bulk/use-selection.ts";

/** The bar with the actions for the selected files. */
export function BulkActions({ assets, selection }: { assets: readonly Asset[]; selection: Selection }) {
  const [openDialog, setOpenDialog] = useState<"tags" | "post">();
  const bulk = useBulkActions();
  const closeDialog = () => setOpenDialog(undefined);

  /** Files that were not changed stay selected, so that the user can try again. */
  async function apply(action: () => Promise<readonly Asset[]>): Promise<void> {
    closeDialog();
    selection.set((await action()).map(({ id }) => id));
    restoreFocusSoon();
  }

  return (
    <>
      <SelectionBar count={bulk.progress?.totalCount ?? assets.length} onClear={selection.clear}>
        {bulk.progress ? (
          <p className="m-0 px-2 text-muted tabular-nums">{bulk.progress.label}</p>
        ) : (
          <>
            <BarButton icon={Tag} label="Tags…" onClick={() => setOpenDialog("tags")} />
            <BarButton icon={FilePlus2} label="Add to post…" onClick={() => setOpenDialog("post")} />
            <BarButton icon={Trash2} label="Move to trash" onClick={() => void apply(() => bulk.moveToTrash(assets))} />
          </>
        )}
      </SelectionBar>
      {openDialog === "tags" && (
        <BulkTagsDialog
          assets={assets}
          onSubmit={(change) => apply(() => bulk.changeTags(assets, change))}
          onClose={closeDialog}
        />
      )}
      {openDialog === "post" && (
        <AddToPostDialog
          assets={assets}
          onSubmit={(post) => apply(() => bulk.addToPost(assets, post))}
          onClose={closeDialog}
        />
      )}
      {bulk.report && (
        <FailureDialog {...bulk.report} getName={({ filename }) => filename} onClose={bulk.closeReport} />
      )}
    </>
  );
}

/** On a phone, only the icon is visible. */
function BarButton({ icon, label, onClick }: { icon: LucideIcon; label: string; onClick: () => void }) {
  return (
    <Button variant="quiet" icon={icon} onClick={onClick} className="max-sm:min-w-11 max-sm:px-2" title={label}>
      <span className="max-sm:sr-only">{label}</span>
    </Button>
  );
}
