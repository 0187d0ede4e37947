import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import type { StoredFile } from "#domain/assets/model/file-store.ts";
import { AppError } from "#lib/errors.ts";
import { tooLargeError } from "../check-key.ts";
import { untilAborted } from "../until-aborted.ts";
import { getErrorResponse, type S3Caller } from "./s3-caller.ts";

export interface S3Target {
  client: S3Client;
  bucket: string;
  call: S3Caller;
}

const minPartBytes = 8 * 1024 * 1024;
const maxParts = 10_000;

/** What an object says of itself where somebody reads it directly: its checked type, and no document opens in place. */
export function toContentHeaders(mimeType: string): { ContentType: string; ContentDisposition: string } {
  return { ContentType: mimeType, ContentDisposition: /^(image|video)\//.test(mimeType) ? "inline" : "attachment" };
}

/**
 * All of `body`, or nothing. What fits into one part is one PUT; more goes in parts, one on its way while the next is
 * gathered, so that memory stays at two parts. Every request knows its length: not every store takes a body without.
 */
export async function writeObject(
  { client, bucket, call }: S3Target,
  key: string,
  body: AsyncIterable<Uint8Array>,
  options: { mimeType: string; maxBytes: number; signal?: AbortSignal | undefined },
): Promise<StoredFile> {
  const { signal } = options;
  const location = { Bucket: bucket, Key: key };
  const hash = createHash("sha256");
  const partBytes = Math.max(minPartBytes, Math.ceil(options.maxBytes / maxParts));
  let bytes = 0;
  let upload: MultipartUpload | undefined;
  try {
    for await (const { part, last } of splitIntoParts(body, partBytes, options.maxBytes, signal)) {
      bytes += part.length;
      hash.update(part);
      if (last && !upload) {
        const put = new PutObjectCommand({
          ...location,
          Body: part,
          ContentLength: part.length,
          ...toContentHeaders(options.mimeType),
        });
        const { ETag } = await call((requestOptions) => client.send(put, requestOptions), { signal });
        return { bytes, version: unquoteEtag(ETag), sha256: hash.digest("hex") };
      }
      upload ??= await startMultipart({ client, bucket, call }, key, toContentHeaders(options.mimeType), signal);
      await upload.send(part);
    }
    if (!upload) throw new Error("gather ended without a last part");
    return { bytes, version: await upload.complete(bytes), sha256: hash.digest("hex") };
  } catch (error) {
    void upload?.abort(); // whoever asked has waited long enough
    throw error;
  }
}

export interface MultipartUpload {
  readonly id: string;
  /** Sends a part; waits for the one before it. */
  send(part: Uint8Array): Promise<void>;
  /** Makes the object of all parts sent, or of those given, and answers its version. */
  complete(bytes: number, parts?: CompletedPart[]): Promise<string>;
  /** Never fails. */
  abort(): Promise<void>;
}

export async function startMultipart(
  { client, bucket, call }: S3Target,
  key: string,
  headers: { ContentType: string; ContentDisposition: string; Metadata?: Record<string, string> },
  signal: AbortSignal | undefined,
): Promise<MultipartUpload> {
  const location = { Bucket: bucket, Key: key };
  const { UploadId: id } = await call(
    (requestOptions) => client.send(new CreateMultipartUploadCommand({ ...location, ...headers }), requestOptions),
    { signal },
  );
  if (id === undefined) throw fileNotStoredError();
  const sentParts: CompletedPart[] = [];
  let pendingSend = Promise.resolve();

  async function sendPart(part: Uint8Array, number: number): Promise<void> {
    const command = new UploadPartCommand({
      ...location,
      UploadId: id,
      PartNumber: number,
      Body: part,
      ContentLength: part.length,
    });
    const { ETag } = await call((requestOptions) => client.send(command, requestOptions), { signal });
    sentParts.push({ PartNumber: number, ETag: ETag ?? "" });
  }

  return {
    id,
    async send(part) {
      await pendingSend;
      pendingSend = sendPart(part, sentParts.length + 1);
      pendingSend.catch(() => {}); // seen by the next await
    },
    async complete(bytes, parts) {
      await pendingSend;
      const completedParts = parts ?? sentParts;
      const command = new CompleteMultipartUploadCommand({
        ...location,
        UploadId: id,
        MultipartUpload: { Parts: completedParts },
      });
      await call((requestOptions) => client.send(command, requestOptions), { workBytes: bytes, signal }).catch(
        (error: unknown) => {
          // Asked again after an answer that was lost, a store says that it knows no such upload: it may be done.
          if (getErrorResponse(error)?.status !== 404) throw error;
        },
      );
      // Not every store names the version in its answer; this look also tells whether it is all there.
      const { ETag, ContentLength } = await call(
        (requestOptions) => client.send(new HeadObjectCommand(location), requestOptions),
        { signal },
      );
      if (ContentLength !== bytes || !unquoteEtag(ETag).endsWith(`-${completedParts.length}`))
        throw fileNotStoredError();
      return unquoteEtag(ETag);
    },
    async abort() {
      await pendingSend.catch(() => {});
      // Where even this fails, the bucket's rule for unfinished uploads removes the parts.
      await call(
        (requestOptions) => client.send(new AbortMultipartUploadCommand({ ...location, UploadId: id }), requestOptions),
        {
          patienceMs: 1500, // whoever sent it is still waiting
        },
      ).catch(() => {});
    },
  };
}

/** The body in parts of one size; the last one is whatever is left, and may be empty only where all is. */
async function* splitIntoParts(
  body: AsyncIterable<Uint8Array>,
  partBytes: number,
  maxBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ part: Uint8Array; last: boolean }> {
  let chunks: Uint8Array[] = [];
  let bufferedBytes = 0;
  let total = 0;
  const source = signal ? untilAborted(body, signal) : body;
  for await (const chunk of source) {
    total += chunk.length;
    if (total > maxBytes) throw tooLargeError();
    let remaining = chunk;
    // Held back until more comes: only then is it known not to be the last.
    while (bufferedBytes + remaining.length > partBytes) {
      const remainingBytes = partBytes - bufferedBytes;
      yield { part: Buffer.concat([...chunks, remaining.subarray(0, remainingBytes)]), last: false };
      remaining = remaining.subarray(remainingBytes);
      chunks = [];
      bufferedBytes = 0;
    }
    chunks.push(remaining);
    bufferedBytes += remaining.length;
  }
  yield { part: Buffer.concat(chunks), last: true };
}

export const fileNotStoredError = (): AppError => new AppError("storage_unavailable:store_lost");

/** An ETag without its quotes: the version of an object. */
export const unquoteEtag = (etag: string | undefined): string => (etag ?? "").replace(/^"|"$/g, "");
