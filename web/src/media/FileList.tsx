import type { ReactNode } from "react";
import type { UploadItem } from "../upload/upload-task.ts";
import type { Asset } from "../api/queries.ts";
import type { ArrangedFiles } from "./arrange-files.ts";
import { MediaTile, type TileActions } from "./MediaTile.tsx";
import { SortableFiles, type PostFile } from "./SortableFiles.tsx";
import { UploadTile } from "./UploadTile.tsx";
import type { Uploads } from "../upload/use-uploader.ts";

/** Uploads that need the user's attention, then the files of the post in order, then new uploads. */
export function FileList({
  failedUploads,
  files,
  newUploads,
  unreadableIds,
  actions,
  uploads,
  onCancel,
  onReorder,
}: ArrangedFiles<Asset, UploadItem> & {
  unreadableIds: ReadonlySet<string>;
  actions: TileActions;
  uploads: Uploads;
  onCancel: (upload: UploadItem) => void;
  /** Undefined if the user may not change the order. */
  onReorder: ((order: readonly string[]) => void) | undefined;
}) {
  const renderUploads = (items: readonly UploadItem[]) =>
    items.map((upload) => (
      <li key={upload.key} className="min-w-0">
        <UploadTile upload={upload} uploads={uploads} onCancel={onCancel} />
      </li>
    ));
  const renderFile = ({ asset, upload }: PostFile, dragHandle?: ReactNode) =>
    upload ? (
      <UploadTile upload={upload} uploads={uploads} onCancel={onCancel} dragHandle={dragHandle} />
    ) : (
      <MediaTile asset={asset} isUnreadable={unreadableIds.has(asset.id)} actions={actions} dragHandle={dragHandle} />
    );
  return (
    <ol
      aria-label="Files of this post"
      className="grid grid-cols-[repeat(auto-fill,minmax(min(8.75rem,calc(50%-0.5rem)),1fr))] gap-x-3 gap-y-4"
    >
      {renderUploads(failedUploads)}
      {onReorder ? (
        <SortableFiles files={files} isPaused={actions.edit?.selection.isActive === true} onReorder={onReorder}>
          {renderFile}
        </SortableFiles>
      ) : (
        files.map((file) => (
          <li key={file.asset.id} className="min-w-0">
            {renderFile(file)}
          </li>
        ))
      )}
      {renderUploads(newUploads)}
    </ol>
  );
}
