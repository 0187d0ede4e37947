import type { ErrorData, ErrorKey } from "#lib/error-messages.ts";

const typeNames: Record<string, string> = {
  "image/jpeg": "JPEG image",
  "image/png": "PNG image",
  "image/webp": "WebP image",
  "image/gif": "GIF image",
  "image/avif": "AVIF image",
  "image/heic": "HEIC image",
  "image/heif": "HEIF image",
  "video/mp4": "MP4 video",
  "video/quicktime": "MOV video",
  "video/webm": "WebM video",
  "video/mpeg": "MPEG video",
  "application/pdf": "PDF document",
};

function getTypeName(mimeType: string): string {
  const category = mimeType.split("/", 1)[0] ?? "";
  return typeNames[mimeType] ?? (["image", "video"].includes(category) ? category : "document");
}

/** Messages for people, where the message in `errorMessages` uses terms that only models and developers know. */
export const messagesForPeople: Partial<{ [Key in ErrorKey]: (data: ErrorData<Key>) => string }> = {
  type_mismatch: ({ declared }) => `This isn’t a valid ${getTypeName(declared)}.`,
  asset_limit_reached: ({ limit }) =>
    `This post already has ${limit === 1 ? "1 file" : `${limit} files`}, the maximum.`,
};
