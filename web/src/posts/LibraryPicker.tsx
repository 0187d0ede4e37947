import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { attachAsset } from "../api/changes.ts";
import { assetsQuery, refresh } from "../api/queries.ts";
import { AssetPicture } from "../assets/AssetPicture.tsx";
import { useStudio } from "../frame/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Failure } from "../ui/Failure.tsx";
import { Modal } from "../ui/Modal.tsx";
import { QueryState } from "../ui/QueryState.tsx";
import { ShowMore } from "../ui/ShowMore.tsx";

/** Files that are on no post, to choose from. */
export function LibraryPicker({ postId, onClose }: { postId: string; onClose: () => void }) {
  const { studio } = useStudio();
  const queries = useQueryClient();
  const assets = useInfiniteQuery(assetsQuery(studio.id, { unattached: "true" }));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [done, setDone] = useState<number>();
  const [error, setError] = useState<unknown>();
  const ready = assets.data?.pages.flatMap((page) => page.assets).filter(({ status }) => status === "ready") ?? [];

  async function attach(): Promise<void> {
    setError(undefined);
    try {
      for (const [i, assetId] of chosen.entries()) {
        setDone(i);
        await attachAsset(studio.id, postId, assetId);
      }
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setDone(undefined);
      await refresh(queries, studio.id);
    }
  }

  return (
    <Modal title="Add from the library" onClose={onClose}>
      <QueryState of={assets} />
      {assets.isSuccess && ready.length === 0 && (
        <p className="text-muted">Every file of the studio is on a post already, or there is none yet.</p>
      )}
      <ul className="asset-grid mt-5">
        {ready.map((asset) => (
          <li key={asset.id}>
            <label className="tile cursor-pointer font-normal" htmlFor={`pick-${asset.id}`}>
              <AssetPicture asset={asset} />
              <span className="flex min-w-0 items-center gap-2">
                <input
                  id={`pick-${asset.id}`}
                  className="m-0"
                  type="checkbox"
                  checked={chosen.includes(asset.id)}
                  onChange={({ target }) =>
                    setChosen(target.checked ? [...chosen, asset.id] : chosen.filter((id) => id !== asset.id))
                  }
                />
                <span className="truncate">{asset.filename}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <ShowMore of={assets} />
      {error !== undefined && <Failure error={error} />}
      <div className="mt-7 flex flex-wrap justify-end gap-3">
        <Button look="quiet" className="min-h-11" onClick={onClose}>
          Cancel
        </Button>
        <Button
          onClick={() => void attach()}
          disabled={chosen.length === 0}
          busy={done !== undefined && `Adding ${done + 1} of ${chosen.length}…`}
        >
          Add {chosen.length > 0 ? chosen.length : ""}
        </Button>
      </div>
    </Modal>
  );
}
