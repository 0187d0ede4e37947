import { needsAttention } from "./needs-attention.ts";

interface FileState {
  id: string;
  status: "pending" | "ready";
}

interface UploadState {
  /** The id of the asset; undefined until the server has a record of the file. */
  id: string | undefined;
  status: string;
}

export interface ArrangedFiles<File, Upload> {
  /** Uploads that need the user's attention, whether or not the server has a record of them. They come first. */
  failedUploads: Upload[];
  /** The files of the post in order, each with this page's unfinished upload of it. */
  files: { asset: File; upload: Upload | undefined }[];
  /** Uploads that the server has not added to the post yet. */
  newUploads: Upload[];
}

/** Combines the files of a post with the uploads of this page, so that each file appears once. */
export function arrangeFiles<File extends FileState, Upload extends UploadState>(
  assets: readonly File[],
  uploads: readonly Upload[],
): ArrangedFiles<File, Upload> {
  const unfinishedAssets = assets.filter(({ status }) => status !== "ready");
  const isUploaded = ({ id }: Upload) => assets.some((asset) => asset.id === id && asset.status === "ready");
  const findUpload = (asset: File) => uploads.find(({ id }) => id === asset.id);
  const failedUploads = uploads.filter((upload) => needsAttention(upload) && !isUploaded(upload));
  return {
    failedUploads,
    files: assets
      .filter((asset) => !failedUploads.some(({ id }) => id === asset.id))
      .map((asset) => ({ asset, upload: asset.status === "ready" ? undefined : findUpload(asset) })),
    newUploads: uploads.filter(
      (upload) =>
        !needsAttention(upload) &&
        !isUploaded(upload) &&
        !unfinishedAssets.some((asset) => findUpload(asset) === upload),
    ),
  };
}
