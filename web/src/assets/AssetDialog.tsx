import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { updateAsset } from "../api/mutations.ts";
import { refreshQueries, type Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Modal } from "../ui/Modal.tsx";
import { requiredTextProps } from "../ui/required-text.ts";
import { AssetImage } from "./AssetImage.tsx";
import { useDeleteAsset } from "./use-delete-asset.tsx";
import { formatMediaMetadata } from "./labels.ts";

/** Shows one file, and lets the user edit its details or delete it. */
export function AssetDialog({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const { studio, may } = useStudio();
  const queryClient = useQueryClient();
  const confirmDelete = useDeleteAsset();
  const [altText, setAltText] = useState(asset.altText ?? "");
  const [filename, setFilename] = useState(asset.filename);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function save(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await updateAsset(studio.id, asset.id, { altText, filename });
      await refreshQueries(queryClient, studio.id);
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  function closeAndDelete(): void {
    onClose();
    confirmDelete(asset);
  }

  return (
    <Modal title={asset.filename} onClose={onClose}>
      <div className="mt-4 flex flex-wrap items-start gap-5">
        <div className="w-40 flex-none">
          <AssetImage asset={asset} />
        </div>
        <div className="text-muted">
          <p className="m-0">{asset.mimeType}</p>
          <p className="m-0">{formatMediaMetadata(asset)}</p>
          {asset.url !== undefined && (
            <p className="mt-2">
              <a href={asset.url} target="_blank" rel="noopener noreferrer">
                {asset.kind === "document" ? "Download" : "Open file"}
              </a>
            </p>
          )}
        </div>
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label htmlFor="alt-text" className="mt-5">
          Alt text
        </label>
        <textarea
          id="alt-text"
          className="mt-2 w-full"
          rows={3}
          maxLength={2000}
          value={altText}
          readOnly={!may("assets.write")}
          aria-describedby="alt-hint"
          onChange={(event) => setAltText(event.target.value)}
        />
        <p id="alt-hint" className="mt-1 text-sm text-muted">
          Describe it for people who can’t see it.
        </p>
        <label htmlFor="filename" className="mt-4">
          File name
        </label>
        <input
          id="filename"
          className="mt-2"
          value={filename}
          readOnly={!may("assets.write")}
          maxLength={200}
          {...requiredTextProps}
          onChange={(event) => setFilename(event.target.value)}
        />
        {error !== undefined && <ErrorMessage error={error} />}
        <div className="mt-7 flex flex-wrap justify-between gap-3">
          {may("assets.write") && (asset.postId === null || asset.status === "pending") ? (
            <Button variant="quiet" className="min-h-11 text-danger" onClick={closeAndDelete}>
              {asset.status === "pending" ? "Cancel upload…" : "Delete…"}
            </Button>
          ) : (
            <p className="m-0 self-center text-sm text-muted">
              {asset.postId !== null && "To delete this file, remove it from its post first."}
            </p>
          )}
          <div className="flex gap-3">
            <Button variant="quiet" className="min-h-11" onClick={onClose}>
              Close
            </Button>
            {may("assets.write") && (
              <Button type="submit" busyLabel={busy && "Saving…"}>
                Save
              </Button>
            )}
          </div>
        </div>
      </form>
    </Modal>
  );
}
