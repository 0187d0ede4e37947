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

/**
 * The allowed MIME types per kind, with their extensions, the preferred one first. SVG and HTML are not allowed, because
 * they can contain scripts.
 */
const typesByKind = {
  image: {
    "image/jpeg": ["jpg", "jpeg", "jfif", "jpe"],
    "image/png": ["png"],
    "image/webp": ["webp"],
    "image/gif": ["gif"],
    "image/avif": ["avif"],
    "image/heic": ["heic"],
    "image/heif": ["heif"],
  },
  video: {
    "video/mp4": ["mp4"],
    "video/quicktime": ["mov"],
    "video/webm": ["webm"],
    "video/x-m4v": ["m4v"],
    "video/mpeg": ["mpg", "mpeg"],
  },
  document: {
    "application/pdf": ["pdf"],
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
    "application/msword": ["doc"],
    "application/vnd.ms-powerpoint": ["ppt"],
    "application/vnd.ms-excel": ["xls"],
    "application/vnd.oasis.opendocument.text": ["odt"],
    "application/vnd.oasis.opendocument.presentation": ["odp"],
    "text/plain": ["txt"],
    "text/csv": ["csv"],
    "text/markdown": ["md", "markdown"],
  },
};

export type AssetKind = keyof typeof typesByKind;

export const assetKinds: Readonly<Record<AssetKind, readonly string[]>> = {
  image: Object.keys(typesByKind.image),
  video: Object.keys(typesByKind.video),
  document: Object.keys(typesByKind.document),
};

export const extensions: Readonly<Record<string, readonly string[]>> = {
  ...typesByKind.image,
  ...typesByKind.video,
  ...typesByKind.document,
};

/** A file sent inline must decode to fewer bytes than this. */
export const inlineLimitBytes = 5 * 1024 * 1024;
