import { ImagePlus } from "lucide-react";
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState, type RefObject } from "react";
import type { Asset, Post } from "../api/queries.ts";
import { AssetDialog } from "../assets/AssetDialog.tsx";
import { useBulkActions } from "../assets/use-bulk-actions.ts";
import { useDeleteAsset } from "../assets/use-delete-asset.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { withoutSystemFiles } from "../upload/dropped-files.ts";
import { listenForFiles, unreadableFilesText } from "../upload/listen-for-files.ts";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { AddFiles } from "./AddFiles.tsx";
import { arrangeFiles } from "./arrange-files.ts";
import { FileList } from "./FileList.tsx";
import type { MoveTarget, TileActions } from "./MediaTile.tsx";
import { SelectedFilesBar, SelectFilesButtons } from "./SelectFiles.tsx";
import { showMovedFile } from "./SortableFiles.tsx";
import { UploadLinks, useUploadLinks } from "./UploadLinks.tsx";
import { UploadStatusBar } from "./UploadStatusBar.tsx";
import { useCancelUpload } from "./use-cancel-upload.tsx";
import { useFileSelection } from "./use-file-selection.ts";
import { usePostUploads } from "./use-post-uploads.ts";
import { useReorder } from "./use-reorder.ts";

/** Loaded on demand, so that reading and editing do not wait for them. */
const LibraryPicker = lazy(async () => ({ default: (await import("./LibraryPicker.tsx")).LibraryPicker }));
const VideoDialog = lazy(async () => ({ default: (await import("./VideoDialog.tsx")).VideoDialog }));

/** The dialog of one of the files. */
export interface FileDialog {
  kind: "details" | "video";
  assetId: string;
}

/** The files of a post, in order, with the uploads to it. */
export function PostMedia({
  post,
  onChange,
  openDialog,
  onOpenDialog,
}: {
  post: Post;
  onChange: (post: Post) => void;
  openDialog: FileDialog | undefined;
  onOpenDialog: (dialog: FileDialog | undefined) => void;
}) {
  const { may } = useStudio();
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const uploadButton = useRef<HTMLButtonElement>(null);
  const [isLibraryOpen, setIsLibraryOpen] = useState(false);
  const [moveAnnouncement, setMoveAnnouncement] = useState("");
  const focusHeading = () => heading.current?.focus({ preventScroll: true }); // the focused button no longer exists
  const uploads = usePostUploads(post);
  const links = useUploadLinks(post);
  const { assets, error: orderError, reorder } = useReorder(post, onChange);
  const bulk = useBulkActions();
  const { cancelUpload, canceledIds } = useCancelUpload(uploads, focusHeading);
  const deleteAsset = useDeleteAsset();
  const canEdit = may("assets.write");
  const canAdd = canEdit && post.status !== "archived";
  const arrangedFiles = arrangeFiles(
    assets.filter(({ id, status }) => status === "ready" || !canceledIds.has(id)),
    uploads.items,
  );
  const { files, failedUploads, newUploads } = arrangedFiles;
  const order = files.map(({ asset }) => asset.id);
  const selection = useFileSelection(
    files.map(({ asset }) => asset),
    { canEdit, focusHeading },
  );
  const openAsset = assets.find(({ id }) => id === openDialog?.assetId);
  const openDetailsOf = (asset: Asset | undefined) =>
    asset && (() => onOpenDialog({ kind: "details", assetId: asset.id }));
  const error = orderError ?? links.error;

  const { add } = uploads;
  const handleFiles = useEffectEvent(add);
  const showToast = useToast();
  useEffect(() => {
    if (!canAdd || !section.current) return undefined;
    return listenForFiles(
      section.current,
      (chosenFiles) => handleFiles(withoutSystemFiles(chosenFiles)),
      () => showToast({ text: unreadableFilesText }),
    );
  }, [canAdd, showToast]);

  function getMove({ id, filename }: Asset, target: MoveTarget): (() => void) | undefined {
    const from = order.indexOf(id);
    const to = { first: 0, earlier: from - 1, later: from + 1, last: order.length - 1 }[target];
    if (to === from || to < 0 || to >= order.length) return undefined;
    return () => {
      reorder(order.toSpliced(from, 1).toSpliced(to, 0, id));
      setMoveAnnouncement(`Moved ${filename} to position ${to + 1} of ${order.length}.`);
      showMovedFile(id);
    };
  }

  async function detach(detachedAssets: readonly Asset[]): Promise<void> {
    const failedAssets = await bulk.removeFromPost(detachedAssets, post);
    if (failedAssets.length === 0) {
      selection.stop();
      focusHeading();
    } else if (selection.isActive) selection.set(failedAssets.map(({ id }) => id)); // so that the user can try again
  }

  const actions: TileActions = {
    open: ({ id }) => onOpenDialog({ kind: "details", assetId: id }),
    play: ({ id }) => onOpenDialog({ kind: "video", assetId: id }),
    ...(canEdit && {
      edit: { getMove, detach: (asset) => void detach([asset]), discardPendingAsset: deleteAsset, selection },
    }),
  };
  const count = files.length + failedUploads.length + newUploads.length;

  return (
    <section ref={section} className="group/media relative" aria-labelledby="media">
      <div className="mb-3 flex min-h-control flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <div className="flex items-center gap-2">
          <h2 id="media" ref={heading} tabIndex={-1} className="text-base font-semibold outline-none">
            Files {count > 0 && <span className="ml-1 font-normal text-muted tabular-nums">{count}</span>}
          </h2>
          {/* On the left, so that the buttons on the right do not move when these appear. */}
          <SelectFilesButtons selection={selection} />
        </div>
        {canAdd && !selection.isActive && (
          <AddFiles
            uploadButton={uploadButton}
            onFiles={(chosenFiles) => add(withoutSystemFiles(chosenFiles))}
            onOpenLibrary={() => setIsLibraryOpen(true)}
            onRequestFiles={links.create}
          />
        )}
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
      <p role="status" className="sr-only">
        {moveAnnouncement}
      </p>
      <UploadStatusBar uploads={uploads} />
      {count > 0 ? (
        <FileList
          {...arrangedFiles}
          unreadableIds={findUnreadableIds(post)}
          actions={actions}
          uploads={uploads}
          onCancel={cancelUpload}
          onReorder={canEdit ? reorder : undefined}
        />
      ) : (
        <EmptyFiles canAdd={canAdd} uploadButton={uploadButton} />
      )}
      <div
        className="pointer-events-none absolute -inset-2 hidden place-items-center rounded-md border-2 border-dashed border-accent bg-paper/85 font-semibold text-accent group-data-dragging/media:grid"
        aria-hidden="true"
      >
        Drop files to add them
      </div>
      <UploadLinks links={links} />
      <SelectedFilesBar
        selection={selection}
        bulk={bulk}
        onRemove={() => void detach(assets.filter(({ id }) => selection.ids.has(id)))}
      />
      {openAsset && openDialog?.kind === "details" && (
        <AssetDialog
          asset={openAsset}
          onClose={() => onOpenDialog(undefined)}
          onPrevious={openDetailsOf(assets[assets.indexOf(openAsset) - 1])}
          onNext={openDetailsOf(assets[assets.indexOf(openAsset) + 1])}
        />
      )}
      <Suspense>
        {openAsset && openDialog?.kind === "video" && (
          <VideoDialog asset={openAsset} onClose={() => onOpenDialog(undefined)} />
        )}
        {isLibraryOpen && <LibraryPicker postId={post.id} onClose={() => setIsLibraryOpen(false)} />}
      </Suspense>
    </section>
  );
}

/** Images that can't be decoded. Only the validation for an account decodes them. */
const findUnreadableIds = ({ validation = [] }: Post): ReadonlySet<string> =>
  new Set(
    validation
      .flatMap(({ problems }) => problems)
      .filter(({ code }) => code === "image_unreadable")
      .flatMap(({ assetId, assetIds = [] }) => (assetId === undefined ? assetIds : [assetId])),
  );

function EmptyFiles({ canAdd, uploadButton }: { canAdd: boolean; uploadButton: RefObject<HTMLButtonElement | null> }) {
  if (!canAdd) return <p className="m-0 text-muted">No files attached.</p>;
  return (
    <button
      type="button"
      className="grid w-full cursor-pointer justify-items-center gap-2 rounded-md border border-dashed border-rule px-4 py-8 text-center text-muted hover:border-control hover:text-ink"
      onClick={() => {
        // The first file replaces this button, and would take its focus away.
        uploadButton.current?.focus({ preventScroll: true });
        uploadButton.current?.click();
      }}
    >
      <ImagePlus aria-hidden="true" className="size-7" strokeWidth={1.5} />
      <span className="text-sm">
        <span className="pointer-coarse:hidden">
          Drop or paste images, videos and documents here, or click to choose them.
        </span>
        <span className="hidden pointer-coarse:inline">Tap to add images, videos and documents.</span>
      </span>
    </button>
  );
}
