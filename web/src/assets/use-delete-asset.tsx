import { useQueryClient } from "@tanstack/react-query";
import { deleteAsset } from "../api/mutations.ts";
import { refreshQueries, type Asset } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";

/** Asks, then removes a file for good: one that is on no post, or one that has not arrived. */
export function useDeleteAsset(): (asset: Asset) => void {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const confirm = useConfirm();
  return ({ id, filename, status }) => {
    const confirmation =
      status === "pending"
        ? {
            title: `Cancel upload of ${filename}?`,
            body: <p>The upload has not finished. What was sent so far is deleted.</p>,
            action: "Discard upload",
            busy: "Discarding…",
            dismiss: "Keep uploading",
          }
        : {
            title: `Delete ${filename}?`,
            body: <p>The file is removed for good. Nobody can bring it back.</p>,
            action: "Delete file",
            busy: "Deleting…",
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
