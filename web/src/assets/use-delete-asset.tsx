import { useQueryClient } from "@tanstack/react-query";
import { deleteAsset } from "../api/changes.ts";
import { refresh, type Asset } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";

/** Asks, then removes a file for good: one that is on no post, or one that has not arrived. */
export function useDeleteAsset(): (asset: Asset) => void {
  const { studio } = useStudio();
  const queries = useQueryClient();
  const confirm = useConfirm();
  return ({ id, filename, status }) => {
    const words =
      status === "pending"
        ? {
            title: `Give up ${filename}?`,
            body: <p>It has not arrived yet. What was sent of it is thrown away.</p>,
            action: "Give up",
            busy: "Giving up…",
          }
        : {
            title: `Delete ${filename}?`,
            body: <p>The file is removed for good. Nobody can bring it back.</p>,
            action: "Delete file",
            busy: "Deleting…",
          };
    confirm({
      ...words,
      run: async () => {
        await deleteAsset(studio.id, id);
        await refresh(queries, studio.id);
      },
    });
  };
}
