import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { updateAsset } from "../api/mutations.ts";
import { refreshQueries, type Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { TextAreaField, TextField } from "../ui/Field.tsx";
import { requiredTextProps } from "../ui/required-text.ts";
import { TagField } from "../ui/TagField.tsx";
import { useAction } from "../ui/use-action.ts";
import { AssetImage } from "./AssetImage.tsx";
import { useCopyAsset } from "./use-copy-asset.ts";
import { useDeleteAsset } from "./use-delete-asset.tsx";
import { formatMediaMetadata } from "./labels.ts";

/** Shows one file, and lets the user edit its details, copy or delete it. */
export function AssetDialog({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const { studio, may } = useStudio();
  const queryClient = useQueryClient();
  const copyAsset = useCopyAsset();
  const deleteAsset = useDeleteAsset();
  const [altText, setAltText] = useState(asset.altText ?? "");
  const [filename, setFilename] = useState(asset.filename);
  const [editedTags, setEditedTags] = useState<readonly string[]>();
  const { isRunning, error, run } = useAction();
  const copying = useAction();

  const saveDetails = () =>
    updateAsset(studio.id, asset.id, { altText, filename, ...(editedTags && { tags: [...editedTags] }) });

  async function save(): Promise<void> {
    await saveDetails();
    await refreshQueries(queryClient, studio.id);
    onClose();
  }

  /** Saves first, so that the copy has the details that the dialog shows. */
  async function copy(): Promise<void> {
    if (altText !== (asset.altText ?? "") || filename !== asset.filename || editedTags) await saveDetails();
    await copyAsset({ ...asset, filename });
    onClose();
  }

  function closeAndConfirmDelete(): void {
    onClose();
    deleteAsset(asset);
  }

  return (
    <Dialog title={asset.filename} onClose={onClose}>
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
        className="mt-5"
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <TextAreaField
          label="Alt text"
          hint="Describe this file for people who can’t see it."
          rows={3}
          maxLength={2000}
          value={altText}
          readOnly={!may("assets.write")}
          onChange={(event) => setAltText(event.target.value)}
        />
        <TextField
          label="File name"
          value={filename}
          readOnly={!may("assets.write")}
          maxLength={200}
          {...requiredTextProps}
          onChange={(event) => setFilename(event.target.value)}
        />
        <TagField tags={editedTags ?? asset.tags ?? []} isReadOnly={!may("assets.write")} onChange={setEditedTags} />
        {error !== undefined && <ErrorMessage error={error} />}
        {copying.error !== undefined && <ErrorMessage error={copying.error} />}
        {asset.postId !== null && asset.status === "ready" && (
          <p className="mt-5 text-sm text-muted">
            To use this file in another post, make a copy. To delete it, remove it from its post first.
          </p>
        )}
        <div className="mt-7 flex flex-wrap justify-between gap-3">
          <div className="flex flex-wrap gap-3">
            {may("assets.write") && asset.status === "ready" && (
              <Button
                variant="secondary"
                busyLabel={copying.isRunning && "Copying…"}
                onClick={({ currentTarget }) => currentTarget.form?.reportValidity() && void copying.run(copy)}
              >
                Make a copy
              </Button>
            )}
            {may("assets.write") && (asset.postId === null || asset.status === "pending") && (
              <Button
                variant={asset.status === "pending" ? "dangerOutline" : "secondary"}
                onClick={closeAndConfirmDelete}
              >
                {asset.status === "pending" ? "Cancel upload…" : "Move to trash"}
              </Button>
            )}
          </div>
          <div className="ml-auto flex flex-wrap justify-end gap-3">
            <Button variant="secondary" onClick={onClose}>
              {may("assets.write") && asset.status !== "pending" ? "Cancel" : "Close"}
            </Button>
            {may("assets.write") && (
              <Button type="submit" busyLabel={isRunning && "Saving…"}>
                Save
              </Button>
            )}
          </div>
        </div>
      </form>
    </Dialog>
  );
}
