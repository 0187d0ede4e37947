import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { attachAsset } from "../api/mutations.ts";
import { assetsQuery, refreshQueries } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { AssetGrid, AssetGridItem, assetTileClasses } from "../assets/AssetGrid.tsx";
import { AssetImage } from "../assets/AssetImage.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { FormDialog } from "../ui/FormDialog.tsx";
import { PagedList } from "../ui/List.tsx";

/** Lets the user attach unused files. */
export function LibraryPicker({ postId, onClose }: { postId: string; onClose: () => void }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const assets = usePagedList(assetsQuery(studio.id, { unattached: "true" }));
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([]);
  const [attachedCount, setAttachedCount] = useState(0);

  async function attach(): Promise<void> {
    try {
      for (const [i, assetId] of selectedIds.entries()) {
        setAttachedCount(i);
        await attachAsset(studio.id, postId, assetId);
      }
      onClose();
    } finally {
      await refreshQueries(queryClient, studio.id);
    }
  }

  return (
    <FormDialog
      title="Add from library"
      submitLabel={selectedIds.length > 0 ? `Add ${selectedIds.length}` : "Add"}
      busyLabel={`Adding ${attachedCount + 1} of ${selectedIds.length}…`}
      canSubmit={selectedIds.length > 0}
      onSubmit={attach}
      onClose={onClose}
    >
      <PagedList
        list={{ ...assets, items: assets.items.filter(({ status }) => status === "ready") }}
        empty={<p className="text-muted">No unused files.</p>}
      >
        {(items) => (
          <div className="mt-5 max-h-[50vh] overflow-auto p-1">
            <AssetGrid>
              {items.map((asset) => (
                <AssetGridItem key={asset.id}>
                  <label className={`font-normal ${assetTileClasses}`} htmlFor={`pick-${asset.id}`}>
                    <AssetImage asset={asset} />
                    <span className="flex min-w-0 items-center gap-2">
                      <input
                        id={`pick-${asset.id}`}
                        className="m-0"
                        type="checkbox"
                        checked={selectedIds.includes(asset.id)}
                        onChange={({ target }) =>
                          setSelectedIds(
                            target.checked ? [...selectedIds, asset.id] : selectedIds.filter((id) => id !== asset.id),
                          )
                        }
                      />
                      <span className="truncate">{asset.filename}</span>
                    </span>
                  </label>
                </AssetGridItem>
              ))}
            </AssetGrid>
          </div>
        )}
      </PagedList>
    </FormDialog>
  );
}
