import { useQueryClient } from "@tanstack/react-query";
import { copyAsset, deleteAsset } from "../api/mutations.ts";
import { refreshQueries, type Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useToast } from "../ui/Toasts.tsx";

/** Copies a file; a toast offers Undo. */
export function useCopyAsset(): (asset: Asset) => Promise<void> {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();

  async function undo(copyId: string): Promise<void> {
    await deleteAsset(studio.id, copyId).catch(() => {}); // the copy was used or deleted since
    await refreshQueries(queryClient, studio.id);
  }

  return async ({ id, filename }) => {
    const { assetId } = await copyAsset(studio.id, id);
    await refreshQueries(queryClient, studio.id);
    showToast({
      text: `Copied ${filename}. The copy is in your library, ready for another post.`,
      action: { label: "Undo", run: () => void undo(assetId) },
    });
  };
}
