import { AppError } from "#lib/errors.ts";
import { emptyFile } from "../base64.ts";
import type { ByteSource } from "../byte-source.ts";
import type { Declared } from "../declared.ts";
import { detectFormat, isSameFamily } from "./formats.ts";
import { maxPixels, measure, type Size } from "./pixels.ts";
import { checkText, findMarkup, isPlainText, isTextType } from "./text-check.ts";

/** Enough for every signature, and for most of what stands in front of a picture's measures. */
export const headBytes = 64 * 1024;

/** What the gate saw on its way: the measures of a picture, where its header tells them. */
export interface Passed {
  size: Size | undefined;
}

/**
 * The one gate for all bytes: whichever way a file came in, it is judged here, on its bytes and what was declared.
 * Looks at headers only and decodes nothing. Throws `invalid_input` (empty), `type_mismatch` (recognisably something
 * else) or `too_large` (more pixels or frames than this server would open); what it does not recognise passes.
 */
export async function checkBytes(source: ByteSource, declared: Declared): Promise<Passed> {
  if (source.bytes === 0) throw emptyFile();
  const head = await source.read(0, headBytes);
  if (isTextType(declared.mimeType)) {
    const found = checkText(head) ?? (isPlainText(head) ? undefined : await detectFormat(source, head));
    if (found !== undefined) throw mismatch(declared, found);
    return { size: undefined };
  }
  const found = await detectFormat(source, head);
  if (found !== undefined && !isSameFamily(found, declared.mimeType)) throw mismatch(declared, found);
  if (found === undefined) {
    const markup = findMarkup(head, "any");
    if (markup !== undefined) throw mismatch(declared, markup);
    return { size: undefined };
  }
  if (declared.kind !== "image") return { size: undefined };
  const size = await measure(source, head, found);
  if (size && (size.width * size.height > maxPixels || size.crowded)) throw flood();
  return { size };
}

const mismatch = ({ mimeType }: Declared, found: string): AppError =>
  new AppError(
    "type_mismatch",
    `The file was declared as ${mimeType}, but its content is ${found}.`,
    "Send the file again with its real type, or convert it first; whoami lists the types.",
  );

const flood = (): AppError =>
  new AppError(
    "too_large",
    `The picture has more than ${maxPixels / 1_000_000} million pixels, or more frames than a picture has.`,
    "Send a smaller picture.",
  );
