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
import type { StoredFile } from "#domain/assets/file-store.ts";
import { AppError } from "#lib/errors.ts";
import { tooLarge } from "./keys.ts";
import { untilAborted } from "./until-aborted.ts";
import { refusalOf, type Asker } from "./s3-client.ts";

export interface Target {
  client: S3Client;
  bucket: string;
  ask: Asker;
}

const leastPartBytes = 8 * 1024 * 1024;
const mostParts = 10_000;

/** What an object says of itself where somebody reads it directly: its checked type, and no document opens in place. */
export function contentHeaders(mimeType: string): { ContentType: string; ContentDisposition: string } {
  return { ContentType: mimeType, ContentDisposition: /^(image|video)\//.test(mimeType) ? "inline" : "attachment" };
}

/**
 * All of `body`, or nothing. What fits into one part is one PUT; more goes in parts, one on its way while the next is
 * gathered, so that memory stays at two parts. Every request knows its length: not every store takes a body without.
 */
export async function writeObject(
  { client, bucket, ask }: Target,
  key: string,
  body: AsyncIterable<Uint8Array>,
  options: { mimeType: string; maxBytes: number; signal?: AbortSignal | undefined },
): Promise<StoredFile> {
  const { signal } = options;
  const at = { Bucket: bucket, Key: key };
  const hash = createHash("sha256");
  const partBytes = Math.max(leastPartBytes, Math.ceil(options.maxBytes / mostParts));
  let bytes = 0;
  let upload: Multipart | undefined;
  try {
    for await (const { part, last } of gather(body, partBytes, options.maxBytes, signal)) {
      bytes += part.length;
      hash.update(part);
      if (last && !upload) {
        const put = new PutObjectCommand({
          ...at,
          Body: part,
          ContentLength: part.length,
          ...contentHeaders(options.mimeType),
        });
        const { ETag } = await ask((how) => client.send(put, how), { signal });
        return { bytes, version: plainTag(ETag), sha256: hash.digest("hex") };
      }
      upload ??= await startMultipart({ client, bucket, ask }, key, contentHeaders(options.mimeType), signal);
      await upload.send(part);
    }
    if (!upload) throw new Error("gather ended without a last part");
    return { bytes, version: await upload.complete(bytes), sha256: hash.digest("hex") };
  } catch (error) {
    void upload?.abort(); // whoever asked has waited long enough
    throw error;
  }
}

export interface Multipart {
  readonly id: string;
  /** Sends a part; waits for the one before it. */
  send(part: Uint8Array): Promise<void>;
  /** Makes the object of all parts sent, or of those given, and answers its version. */
  complete(bytes: number, parts?: CompletedPart[]): Promise<string>;
  /** Never fails. */
  abort(): Promise<void>;
}

export async function startMultipart(
  { client, bucket, ask }: Target,
  key: string,
  headers: { ContentType: string; ContentDisposition: string; Metadata?: Record<string, string> },
  signal: AbortSignal | undefined,
): Promise<Multipart> {
  const at = { Bucket: bucket, Key: key };
  const { UploadId: id } = await ask(
    (how) => client.send(new CreateMultipartUploadCommand({ ...at, ...headers }), how),
    { signal },
  );
  if (id === undefined) throw notKept();
  const sent: CompletedPart[] = [];
  let sending = Promise.resolve();

  async function sendNow(part: Uint8Array, number: number): Promise<void> {
    const command = new UploadPartCommand({
      ...at,
      UploadId: id,
      PartNumber: number,
      Body: part,
      ContentLength: part.length,
    });
    const { ETag } = await ask((how) => client.send(command, how), { signal });
    sent.push({ PartNumber: number, ETag: ETag ?? "" });
  }

  return {
    id,
    async send(part) {
      await sending;
      sending = sendNow(part, sent.length + 1);
      sending.catch(() => {}); // seen by the next await
    },
    async complete(bytes, parts) {
      await sending;
      const made = parts ?? sent;
      const command = new CompleteMultipartUploadCommand({ ...at, UploadId: id, MultipartUpload: { Parts: made } });
      await ask((how) => client.send(command, how), { workBytes: bytes, signal }).catch((error: unknown) => {
        // Asked again after an answer that was lost, a store says that it knows no such upload: it may be done.
        if (refusalOf(error)?.status !== 404) throw error;
      });
      // Not every store names the version in its answer; this look also tells whether it is all there.
      const { ETag, ContentLength } = await ask((how) => client.send(new HeadObjectCommand(at), how), { signal });
      if (ContentLength !== bytes || !plainTag(ETag).endsWith(`-${made.length}`)) throw notKept();
      return plainTag(ETag);
    },
    async abort() {
      await sending.catch(() => {});
      // Where even this fails, the bucket's rule for unfinished uploads removes the parts.
      await ask((how) => client.send(new AbortMultipartUploadCommand({ ...at, UploadId: id }), how), {
        patienceMs: 1500, // whoever sent it is still waiting
      }).catch(() => {});
    },
  };
}

/** The body in parts of one size; the last one is whatever is left, and may be empty only where all is. */
async function* gather(
  body: AsyncIterable<Uint8Array>,
  partBytes: number,
  maxBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ part: Uint8Array; last: boolean }> {
  let chunks: Uint8Array[] = [];
  let gathered = 0;
  let total = 0;
  const source = signal ? untilAborted(body, signal) : body;
  for await (const chunk of source) {
    total += chunk.length;
    if (total > maxBytes) throw tooLarge();
    let rest = chunk;
    // Held back until more comes: only then is it known not to be the last.
    while (gathered + rest.length > partBytes) {
      const fits = partBytes - gathered;
      yield { part: Buffer.concat([...chunks, rest.subarray(0, fits)]), last: false };
      rest = rest.subarray(fits);
      chunks = [];
      gathered = 0;
    }
    chunks.push(rest);
    gathered += rest.length;
  }
  yield { part: Buffer.concat(chunks), last: true };
}

export const notKept = (): AppError => new AppError("storage_unavailable:store_lost");

/** An ETag without its quotes: the version of an object. */
export const plainTag = (tag: string | undefined): string => (tag ?? "").replace(/^"|"$/g, "");
