import { useParams } from "@tanstack/react-router";
import { Copy, FilePlus2, Trash2, Unlink } from "lucide-react";
import { useState } from "react";
import { formatError, isNotFound } from "../api/api-error.ts";
import { copyAsset, deleteAsset } from "../api/mutations.ts";
import { postQuery, type Asset } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { FailureDialog } from "../bulk/FailureDialog.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { AddToPostDialog } from "./AddToPostDialog.tsx";
import { attachOrCopy, undoAttachOrCopy } from "./attach-or-copy.ts";
import { useBulkActions } from "./use-bulk-actions.ts";
import { useDeleteAsset } from "./use-delete-asset.tsx";

/** The buttons for one file. */
export function AssetActions({
  asset,
  saveForm,
  onClose,
}: {
  asset: Asset;
  /** Called before copying, so that copies have the details that the dialog shows. Resolves to false if it fails. */
  saveForm: () => Promise<boolean>;
  onClose: () => void;
}) {
  const { studio, may } = useStudio();
  const showToast = useToast();
  const deleteOrCancel = useDeleteAsset();
  const copying = useAction();
  const removing = useAction();
  const bulk = useBulkActions();
  const [isChoosingPost, setIsChoosingPost] = useState(false);
  const { postId } = asset;
  const { postId: openPostId } = useParams({ strict: false });
  const isReady = asset.status === "ready";
  if (!may("assets.write")) return null;

  async function undo(revert: () => Promise<unknown>): Promise<void> {
    try {
      await revert();
    } catch (error) {
      // If it is not found, another user has already removed the file.
      if (!isNotFound(error)) showToast({ text: formatError(error) });
    }
  }

  async function makeCopy(): Promise<void> {
    if (!(await saveForm())) return;
    const { assetId: copyId } = await copyAsset({ studioId: studio.id, assetId: asset.id });
    showToast({
      text: `Copied ${asset.filename}. The copy is in your library, ready for another post.`,
      action: { label: "Undo", run: () => void undo(() => deleteAsset({ studioId: studio.id, assetId: copyId })) },
    });
    onClose();
  }

  async function addToPost(post: { id: string; title: string }): Promise<void> {
    const addedAsset = await attachOrCopy(studio.id, post.id, asset);
    setIsChoosingPost(false);
    onClose();
    showToast({
      text: `${addedAsset.isCopy ? "Copied" : "Added"} ${asset.filename} to “${post.title}”.`,
      action: { label: "Undo", run: () => void undo(() => undoAttachOrCopy(studio.id, post.id, addedAsset)) },
    });
  }

  /** Leaves the dialog open, so that the user can then delete the file. */
  async function removeFromPost(): Promise<void> {
    if (postId === null || !(await saveForm())) return;
    const post = await queryClient.query(postQuery(studio.id, postId));
    await bulk.removeFromPost([asset], post, postId === openPostId ? undefined : `“${post.title}”`);
  }

  function closeAndDelete(): void {
    onClose();
    deleteOrCancel(asset);
  }

  return (
    <section aria-label="Actions" className="border-t border-rule pt-4">
      {copying.error !== undefined && <ErrorMessage error={copying.error} />}
      {removing.error !== undefined && <ErrorMessage error={removing.error} />}
      <div className="flex flex-wrap gap-2">
        {isReady && (
          <>
            <Button
              variant="secondary"
              size="small"
              icon={FilePlus2}
              onClick={() => void saveForm().then((isSaved) => isSaved && setIsChoosingPost(true))}
            >
              {postId === null ? "Add to post…" : "Copy to another post…"}
            </Button>
            <Button
              variant="secondary"
              size="small"
              icon={Copy}
              busyLabel={copying.isRunning && "Copying…"}
              onClick={() => void copying.run(makeCopy)}
            >
              Make a copy
            </Button>
          </>
        )}
        {postId !== null && isReady && (
          <Button
            variant="secondary"
            size="small"
            icon={Unlink}
            busyLabel={removing.isRunning && "Removing…"}
            onClick={() => void removing.run(removeFromPost)}
          >
            Remove from post
          </Button>
        )}
        {(postId === null || !isReady) && (
          <Button variant="dangerOutline" size="small" icon={Trash2} onClick={closeAndDelete}>
            {isReady ? "Move to trash" : "Cancel upload"}
          </Button>
        )}
      </div>
      {postId !== null && isReady && (
        <p className="mt-2 text-sm text-muted">To delete this file, remove it from its post first.</p>
      )}
      {isChoosingPost && (
        <AddToPostDialog assets={[asset]} onSubmit={addToPost} onClose={() => setIsChoosingPost(false)} />
      )}
      {bulk.report && (
        <FailureDialog {...bulk.report} getName={({ filename }) => filename} onClose={bulk.closeReport} />
      )}
    </section>
  );
}
