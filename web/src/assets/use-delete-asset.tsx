import { useQueryClient } from "@tanstack/react-query";
import { deleteAsset } from "../api/mutations.ts";
import { refreshQueries, type Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";

/** Deletes an unused file, or cancels an upload, after the user confirms. */
export function useDeleteAsset(): (asset: Asset) => void {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const confirm = useConfirm();
  return ({ id, filename, status }) => {
    const confirmation =
      status === "pending"
        ? {
            title: `Cancel upload of ${filename}?`,
            body: <p>The upload hasn’t finished. The part uploaded so far will be deleted.</p>,
            action: "Discard upload",
            busyLabel: "Discarding…",
            dismiss: "Keep uploading",
          }
        : {
            title: `Delete ${filename}?`,
            body: <p>This deletes the file permanently.</p>,
            action: "Delete file",
            busyLabel: "Deleting…",
          };
    confirm({
      ...confirmation,
      run: async () => {
        await deleteAsset(studio.id, id);
        await refreshQueries(queryClient, studio.id);
      },
    });
  };
}
