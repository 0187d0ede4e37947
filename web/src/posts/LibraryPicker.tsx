import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { attachAsset } from "../api/mutations.ts";
import { assetsQuery, refreshQueries } from "../api/queries.ts";
import { AssetImage } from "../assets/AssetImage.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Modal } from "../ui/Modal.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ShowMore } from "../ui/ShowMore.tsx";

/** Lets the user attach unused files. */
export function LibraryPicker({ postId, onClose }: { postId: string; onClose: () => void }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const assets = useInfiniteQuery(assetsQuery(studio.id, { unattached: "true" }));
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([]);
  const [attachedCount, setAttachedCount] = useState<number>();
  const [error, setError] = useState<unknown>();
  const readyAssets =
    assets.data?.pages.flatMap((page) => page.assets).filter(({ status }) => status === "ready") ?? [];

  async function attach(): Promise<void> {
    setError(undefined);
    try {
      for (const [i, assetId] of selectedIds.entries()) {
        setAttachedCount(i);
        await attachAsset(studio.id, postId, assetId);
      }
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setAttachedCount(undefined);
      await refreshQueries(queryClient, studio.id);
    }
  }

  return (
    <Modal title="Add from library" onClose={onClose}>
      <QueryStatus query={assets} />
      {assets.isSuccess && readyAssets.length === 0 && <p className="text-muted">No unused files.</p>}
      <ul className="asset-grid mt-5">
        {readyAssets.map((asset) => (
          <li key={asset.id}>
            <label className="tile cursor-pointer font-normal" htmlFor={`pick-${asset.id}`}>
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
          </li>
        ))}
      </ul>
      <ShowMore query={assets} />
      {error !== undefined && <ErrorMessage error={error} />}
      <div className="mt-7 flex flex-wrap justify-end gap-3">
        <Button variant="quiet" className="min-h-11" onClick={onClose}>
          Cancel
        </Button>
        <Button
          onClick={() => void attach()}
          disabled={selectedIds.length === 0}
          busyLabel={attachedCount !== undefined && `Adding ${attachedCount + 1} of ${selectedIds.length}…`}
        >
          Add {selectedIds.length > 0 ? selectedIds.length : ""}
        </Button>
      </div>
    </Modal>
  );
}
