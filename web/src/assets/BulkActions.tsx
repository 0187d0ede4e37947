import { FilePlus2, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { Button } from "../ui/Button.tsx";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { BarLabel, SelectionBar } from "../ui/SelectionBar.tsx";
import { AddToPostDialog } from "./AddToPostDialog.tsx";
import { BulkTagsDialog } from "./BulkTagsDialog.tsx";
import { useBulkActions, type TagChange } from "./use-bulk-actions.ts";
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

  /** The files stay selected, as in the list of posts: they are still shown. */
  async function changeTags(change: TagChange): Promise<void> {
    closeDialog();
    await bulk.changeTags(assets, change);
    restoreFocusSoon();
  }

  return (
    <>
      <SelectionBar count={bulk.progress?.totalCount ?? assets.length} onClear={selection.clear}>
        {bulk.progress ? (
          <p className="m-0 px-2 text-muted tabular-nums">{bulk.progress.label}</p>
        ) : (
          <>
            <Button variant="quiet" icon={Tag} className="max-sm:px-2" onClick={() => setOpenDialog("tags")}>
              Tags…
            </Button>
            <Button variant="quiet" icon={FilePlus2} className="max-sm:px-2" onClick={() => setOpenDialog("post")}>
              Add to post…
            </Button>
            <Button
              variant="quiet"
              icon={Trash2}
              className="max-sm:px-2"
              onClick={() => void apply(() => bulk.moveToTrash(assets))}
            >
              <BarLabel shortLabel="Trash">Move to trash</BarLabel>
            </Button>
          </>
        )}
      </SelectionBar>
      {openDialog === "tags" && <BulkTagsDialog assets={assets} onSubmit={changeTags} onClose={closeDialog} />}
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
