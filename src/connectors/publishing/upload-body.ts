import { randomBytes } from "node:crypto";
import { minutes, seconds } from "#lib/clock.ts";
import type { PublicRequest } from "#lib/public-fetch.ts";
import type { ContentAsset } from "#domain/model/publication-content.ts";

/** A file that a call sends. */
export interface SentFile {
  asset: ContentAsset;
  form?: UploadForm;
  /** Without it, the whole file. */
  range?: ByteRange;
}

/** The offsets of the first and the last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The form of a media upload (RFC 7578). The file comes last. */
export interface UploadForm {
  fields: Readonly<Record<string, string>>;
  fileField: string;
  filename: string;
  mimeType: string;
}

/** Reads a stored file, or a range of it. */
export type OpenFile = (key: string, range?: ByteRange) => Promise<AsyncIterable<Uint8Array>>;

/** The body of an upload: the file itself, or a form that contains it. */
export function createUploadBody(
  { asset, form, range }: SentFile,
  openFile: OpenFile,
): Pick<PublicRequest, "body" | "headers" | "timeoutMs"> {
  const bytes = range ? range.end - range.start + 1 : asset.bytes;
  const openContent = () => openFile(asset.storageKey, range);
  const timeoutMs = computeTimeout(bytes);
  if (!form) return { body: { bytes, open: openContent }, timeoutMs };
  const boundary = randomBytes(24).toString("hex");
  const head = Buffer.from(renderHead(form, boundary));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const open = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    yield* await openContent();
    yield tail;
  };
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: { bytes: head.length + bytes + tail.length, open: async () => open() },
    timeoutMs,
  };
}

function renderHead({ fields, fileField, filename, mimeType }: UploadForm, boundary: string): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join("")}--${boundary}\r\ncontent-disposition: form-data; name="${fileField}"; filename="${escapeName(filename)}"\r\ncontent-type: ${mimeType}\r\n\r\n`;
}

/** Escapes a name as browsers do (HTML, multipart form data). */
const escapeName = (name: string): string =>
  name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");

const minBytesPerSecond = 128 * 1024;

const computeTimeout = (bytes: number): number =>
  Math.min(seconds(15) + seconds(Math.ceil(bytes / minBytesPerSecond)), minutes(10));
