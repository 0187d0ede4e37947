import { AppError, type ErrorCode } from "#lib/errors.ts";

const acceptedFormats =
  "Send an image (JPEG, PNG, WebP, GIF, AVIF, HEIC), a video (MP4, MOV, WebM, MPEG) or a document (PDF, Word, PowerPoint, Excel, OpenDocument, text).";

/** What to do next, for the person on the upload page: they have no tools to call. */
const hints: Partial<Record<ErrorCode, string>> = {
  type_mismatch: `Save it in another format. ${acceptedFormats}`,
  unsupported_type: acceptedFormats,
  quota_exceeded: "Ask whoever runs the studio to make room, then try again.",
  asset_limit_reached:
    "Cancel a file that is still on its way, or ask for one to be taken off the post, then try again.",
};

/** The same refusal, in words that fit where it is read. */
export function forPeople(error: unknown): never {
  const hint = error instanceof AppError ? hints[error.code] : undefined;
  if (!(error instanceof AppError) || hint === undefined) throw error;
  throw new AppError(error.code, error.message, hint, { cause: error });
}
