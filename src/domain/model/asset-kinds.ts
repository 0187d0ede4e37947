/** Limits from the settings. */
export interface AssetLimits {
  /** The most bytes of an image in a presigned upload or an import; likewise for the other kinds. */
  image: number;
  video: number;
  document: number;
  assetsPerPost: number;
  /** Quota for all files of one studio; no limit if absent. */
  studioBytes?: number | undefined;
}

/** Allowed MIME types per kind. SVG and HTML are not allowed, because they can contain scripts. */
export const assetKinds = {
  image: ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/heic", "image/heif"],
  video: ["video/mp4", "video/quicktime", "video/webm", "video/x-m4v", "video/mpeg"],
  document: [
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/msword",
    "application/vnd.ms-powerpoint",
    "application/vnd.ms-excel",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.presentation",
    "text/plain",
    "text/csv",
    "text/markdown",
  ],
} as const;

export type AssetKind = keyof typeof assetKinds;

/** A file sent inline must decode to fewer bytes than this. */
export const inlineLimitBytes = 5 * 1024 * 1024;
