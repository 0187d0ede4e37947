import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
} from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import type { FileStore, StoredFile } from "#domain/ports/file-store.ts";
import { AppError } from "#lib/errors.ts";
import { readBatches, type Batch } from "../read-batches.ts";
import { getStatus, type S3Target } from "./s3-target.ts";

const minPartBytes = 8 * 1024 * 1024;
const maxParts = 10_000;

/** Headers for clients that read the object directly: the checked type, and only images and videos open inline. */
export function toContentHeaders(mimeType: string): { ContentType: string; ContentDisposition: string } {
  return { ContentType: mimeType, ContentDisposition: /^(image|video)\//.test(mimeType) ? "inline" : "attachment" };
}

/**
 * Stores all of `body`, or nothing. A body that fits into one part is a single PUT. A larger one is sent in parts; one
 * part is sent while the next is read, so at most two are in memory. Every request has a Content-Length, because some
 * stores reject a body without one.
 */
export async function writeObject(
  target: S3Target,
  key: string,
  body: AsyncIterable<Uint8Array>,
  options: Parameters<FileStore["write"]>[2],
): Promise<StoredFile> {
  const { signal } = options;
  await options.beforeVisible?.();
  const headers = toContentHeaders(options.mimeType);
  const hash = createHash("sha256");
  const partBytes = Math.max(minPartBytes, Math.ceil(options.maxBytes / maxParts));
  let bytes = 0;
  let upload: MultipartUpload | undefined;
  try {
    for await (const { part, isLast } of splitIntoParts(readBatches(body, options), partBytes)) {
      bytes += part.length;
      hash.update(part);
      if (isLast && !upload) {
        const object = { Bucket: target.bucket, Key: key, ...headers, Body: part, ContentLength: part.length };
        const { ETag } = await target.send(new PutObjectCommand(object), { signal });
        return { bytes, version: unquoteEtag(ETag), sha256: hash.digest("hex") };
      }
      upload ??= await startMultipart(target, key, headers, signal);
      await upload.send(part);
    }
    if (!upload) throw new Error("splitIntoParts ended without a last part");
    return { bytes, version: await upload.complete(bytes), sha256: hash.digest("hex") };
  } catch (error) {
    void upload?.abort(); // not awaited, so that the error is not delayed
    throw error;
  }
}

interface MultipartUpload {
  readonly id: string;
  /** Starts sending a part after the previous one was sent. */
  send(part: Uint8Array): Promise<void>;
  /** Assembles the object from the sent parts, or from `parts`, and resolves to its version. */
  complete(bytes: number, parts?: CompletedPart[]): Promise<string>;
  /** Never rejects. */
  abort(): Promise<void>;
}

export async function startMultipart(
  { bucket, send }: S3Target,
  key: string,
  headers: { ContentType: string; ContentDisposition: string; Metadata?: Record<string, string> },
  signal: AbortSignal | undefined,
): Promise<MultipartUpload> {
  const location = { Bucket: bucket, Key: key };
  const { UploadId: id } = await send(new CreateMultipartUploadCommand({ ...location, ...headers }), { signal });
  if (id === undefined) throw fileNotStoredError();
  const sentParts: CompletedPart[] = [];
  let pendingSend = Promise.resolve();

  const upload = { ...location, UploadId: id };

  async function sendPart(part: Uint8Array, PartNumber: number): Promise<void> {
    const body = { PartNumber, Body: part, ContentLength: part.length };
    const { ETag } = await send(new UploadPartCommand({ ...upload, ...body }), { signal });
    sentParts.push({ PartNumber, ETag: ETag ?? "" });
  }

  return {
    id,
    async send(part) {
      await pendingSend;
      pendingSend = sendPart(part, sentParts.length + 1);
      pendingSend.catch(() => {}); // the next await rethrows the error
    },
    async complete(bytes, parts) {
      await pendingSend;
      const completedParts = parts ?? sentParts;
      const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: completedParts } });
      await send(command, { workBytes: bytes, signal }).catch((error: unknown) => {
        // A retry after a lost response returns 404, because the first attempt may have completed the upload.
        if (getStatus(error) !== 404) throw error;
      });
      // Not every store returns the version on completion. The HEAD request also verifies the size.
      const { ETag, ContentLength } = await send(new HeadObjectCommand(location), { signal });
      if (ContentLength !== bytes || !unquoteEtag(ETag).endsWith(`-${completedParts.length}`))
        throw fileNotStoredError();
      return unquoteEtag(ETag);
    },
    async abort() {
      await pendingSend.catch(() => {});
      // If this fails, the sweeper aborts an upload to `files/`, and the bucket's lifecycle rule any other upload.
      await send(new AbortMultipartUploadCommand(upload), { timeoutMs: 1500 }).catch(() => {});
    },
  };
}

/** Splits the body into parts of equal size. The last part may be shorter, and is empty only if the body is. */
async function* splitIntoParts(
  batches: AsyncIterable<Batch>,
  partBytes: number,
): AsyncGenerator<{ part: Uint8Array; isLast: boolean }> {
  let pieces: Uint8Array[] = [];
  let bufferedBytes = 0;
  for await (const { chunks } of batches) {
    // Copied together, because the smallest chunks take more memory than their bytes.
    let remainingBytes: Uint8Array = Buffer.concat(chunks);
    // A full part is buffered until more bytes arrive, because it may be the last.
    while (bufferedBytes + remainingBytes.length > partBytes) {
      const missingBytes = partBytes - bufferedBytes;
      yield { part: Buffer.concat([...pieces, remainingBytes.subarray(0, missingBytes)]), isLast: false };
      remainingBytes = remainingBytes.subarray(missingBytes);
      pieces = [];
      bufferedBytes = 0;
    }
    pieces.push(remainingBytes);
    bufferedBytes += remainingBytes.length;
  }
  yield { part: Buffer.concat(pieces), isLast: true };
}

export const fileNotStoredError = (): AppError => new AppError("storage_unavailable:store_lost");

/** An ETag without its quotes: the version of an object. */
export const unquoteEtag = (etag: string | undefined): string => (etag ?? "").replace(/^"|"$/g, "");
