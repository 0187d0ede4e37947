import { formatError } from "../api/api-error.ts";
import { deleteAsset } from "../api/mutations.ts";
import type { Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { getTrashTopic, useRestoreFromTrash } from "../trash/use-restore-from-trash.ts";
import { useConfirm } from "../ui/Confirm.tsx";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useToast } from "../ui/Toasts.tsx";

/** Moves an unused file to the trash; a toast offers Undo. Asks before canceling an upload, which can't be undone. */
export function useDeleteAsset(): (asset: Asset) => void {
  const { studio } = useStudio();
  const confirm = useConfirm();
  const showToast = useToast();
  const restore = useRestoreFromTrash();

  async function moveToTrash({ id, filename }: Asset): Promise<void> {
    try {
      await deleteAsset({ studioId: studio.id, assetId: id });
      restoreFocusSoon();
      showToast({
        text: `${filename} moved to the trash.`,
        action: { label: "Undo", run: () => void restore(id) },
        topic: getTrashTopic(id),
      });
    } catch (error) {
      showToast({ text: formatError(error) });
    }
  }

  return (asset) => {
    if (asset.status === "ready") void moveToTrash(asset);
    else
      confirm({
        title: `Cancel upload of ${asset.filename}?`,
        body: <p>The upload hasn’t finished. The part uploaded so far will be deleted.</p>,
        action: "Discard upload",
        busyLabel: "Discarding…",
        dismiss: "Keep uploading",
        run: () => deleteAsset({ studioId: studio.id, assetId: asset.id }),
      });
  };
}
