import { AppError } from "#lib/errors.ts";
import { type MediaMetadata, unknownMetadata } from "../../model/asset.ts";
import type { DeclaredType } from "../../model/declared-type.ts";
import { type ByteSource, headBytes } from "../../ports/byte-source.ts";
import type { Deps } from "../../ports/deps.ts";
import { detectFormat, isSameFamily } from "./formats.ts";
import { type ImageHeader, isTooLarge, maxPixels, readImageHeader } from "./image-header.ts";
import { detectMarkup, detectRejectedText, isPlainText, isTextType } from "./text-check.ts";

export interface ContentCheckResult {
  /** The header of an image, if it was found. */
  imageHeader: ImageHeader | undefined;
}

/**
 * Checks the content of every file, however it was uploaded, against its declared type. Reads headers only and decodes
 * nothing. Throws `invalid_input` (empty), `type_mismatch` (recognized as another type) or `too_large` (too many pixels,
 * frames or parts); unrecognized content passes.
 */
export async function checkContent(source: ByteSource, declaredType: DeclaredType): Promise<ContentCheckResult> {
  if (source.bytes === 0) throw new AppError("invalid_input:empty_file");
  const head = await source.read(0, headBytes);
  const { format, isMismatch } = await inspectFormat(source, head, declaredType);
  if (isMismatch) throw typeMismatchError(declaredType, format);
  if (declaredType.kind !== "image" || format === undefined) return { imageHeader: undefined };
  const imageHeader = await readImageHeader(source, head, format);
  if (imageHeader && isTooLarge(imageHeader))
    throw new AppError("too_large:pixels", { megapixels: maxPixels / 1_000_000 });
  return { imageHeader };
}

/** The detected format, if any, and whether it contradicts the declared type. */
export async function inspectFormat(
  source: ByteSource,
  head: Uint8Array,
  { mimeType }: DeclaredType,
): Promise<{ format: string | undefined; isMismatch: boolean }> {
  if (isTextType(mimeType)) {
    const format = detectRejectedText(head) ?? (isPlainText(head) ? undefined : await detectFormat(source, head));
    return { format, isMismatch: format !== undefined };
  }
  const format = await detectFormat(source, head);
  if (format !== undefined) return { format, isMismatch: !isSameFamily(format, mimeType) };
  const markup = detectMarkup(head, "any");
  return { format: markup, isMismatch: markup !== undefined };
}

export const typeMismatchError = ({ mimeType }: DeclaredType, format: string | undefined): AppError =>
  new AppError("type_mismatch", { declared: mimeType, actual: format ?? "unknown" });

/** Returns the metadata that the headers of a file state; an image was already read by the content check. */
export async function readMediaMetadata(
  deps: Pick<Deps, "media">,
  source: ByteSource,
  declaredType: DeclaredType,
  { imageHeader }: ContentCheckResult,
): Promise<MediaMetadata> {
  if (declaredType.kind === "video") return deps.media.readVideoMetadata(source, declaredType.mimeType);
  if (!imageHeader || imageHeader.width === 0 || imageHeader.height === 0) return unknownMetadata;
  return { width: imageHeader.width, height: imageHeader.height, durationMs: null };
}
