import { AppError } from "#lib/errors.ts";
import { emptyFileError } from "./base64.ts";
import type { ByteSource } from "./byte-source.ts";
import type { DeclaredType } from "../model/declared-type.ts";
import { detectFormat, isSameFamily } from "./formats.ts";
import { maxPixels, readImageSize, type ImageSize } from "./count-pixels.ts";
import { detectNonText, findMarkup, isPlainText, isTextType } from "./text-check.ts";

/** Enough for every signature, and for most of what stands in front of a picture's measures. */
export const headBytes = 64 * 1024;

/** What the gate saw on its way: the measures of a picture, where its header tells them. */
export interface ContentCheckResult {
  size: ImageSize | undefined;
}

/**
 * The one gate for all bytes: whichever way a file came in, it is judged here, on its bytes and what was declared.
 * Looks at headers only and decodes nothing. Throws `invalid_input` (empty), `type_mismatch` (recognisably something
 * else) or `too_large` (more pixels or frames than this server would open); what it does not recognise passes.
 */
export async function checkContent(source: ByteSource, declaredType: DeclaredType): Promise<ContentCheckResult> {
  if (source.bytes === 0) throw emptyFileError();
  const head = await source.read(0, headBytes);
  const { format, isMismatch } = await inspectFormat(source, head, declaredType);
  if (isMismatch) throw typeMismatch(declaredType, format);
  if (declaredType.kind !== "image" || format === undefined) return { size: undefined };
  const size = await readImageSize(source, head, format);
  if (size && (size.width * size.height > maxPixels || size.hasTooManyFrames)) throw tooManyPixelsError();
  return { size };
}

/** The format of the bytes, where it is recognisable, and whether it rules out the declared type. */
export async function inspectFormat(
  source: ByteSource,
  head: Uint8Array,
  { mimeType }: DeclaredType,
): Promise<{ format: string | undefined; isMismatch: boolean }> {
  if (isTextType(mimeType)) {
    const format = detectNonText(head) ?? (isPlainText(head) ? undefined : await detectFormat(source, head));
    return { format, isMismatch: format !== undefined };
  }
  const format = await detectFormat(source, head);
  if (format !== undefined) return { format, isMismatch: !isSameFamily(format, mimeType) };
  const markup = findMarkup(head, "any");
  return { format: markup, isMismatch: markup !== undefined };
}

export const typeMismatch = ({ mimeType }: DeclaredType, format: string | undefined): AppError =>
  new AppError("type_mismatch", { declared: mimeType, actual: format ?? "unknown" });

const tooManyPixelsError = (): AppError => new AppError("too_large:pixels", { megapixels: maxPixels / 1_000_000 });
