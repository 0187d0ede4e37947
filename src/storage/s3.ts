import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type HeadObjectCommandOutput,
  type UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { Readable } from "node:stream";
import type { FileStore, StoredFile } from "#domain/assets/file-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { contentDisposition } from "#lib/file-name.ts";
import { checkKey } from "./keys.ts";
import { createAsker, createClient, defaultPatienceMs, ifThere, refusalOf, watchBody, type S3Settings } from "./s3-client.ts";
import { copyObject, sourceVersion, usualCopyLimits, type CopyLimits } from "./s3-copy.ts";
import { createS3Parts } from "./s3-parts.ts";
import { plainTag, writeObject, type Target } from "./s3-write.ts";

export interface S3Options {
  settings: S3Settings;
  clock: Clock;
  /** How long the store may be silent. */
  patienceMs?: number;
  copyLimits?: CopyLimits;
}

export interface S3Store extends FileStore {
  close(): void;
}

/** What else a promote waits for after it succeeded is little. */
const tidyPatienceMs = 4000;

/** Any S3-compatible store. Bytes of clients go straight to it and come straight from it. */
export async function openS3Store(options: S3Options): Promise<S3Store> {
  const { settings, clock, patienceMs = defaultPatienceMs, copyLimits = usualCopyLimits } = options;
  const { bucket } = settings;
  const client = createClient(settings);
  // Addresses are signed for the name under which browsers know the store; signing sends nothing.
  const signer = createClient(settings, settings.publicEndpoint ?? settings.endpoint);
  const ask = createAsker(patienceMs);
  const target: Target = { client, bucket, ask };
  const object = (key: string) => ({ Bucket: bucket, Key: checkKey(key) });

  const secondsUntil = (time: number) => Math.max(1, Math.floor((time - clock()) / 1000));
  const until = (expiresAt: number) => ({ expiresIn: secondsUntil(expiresAt), signingDate: new Date(clock()) });
  const sign = (command: PutObjectCommand | GetObjectCommand, expiresAt: number) =>
    getSignedUrl(signer, command, until(expiresAt));
  const signPart = (command: UploadPartCommand, expiresAt: number) =>
    getSignedUrl(signer, command, { ...until(expiresAt), signableHeaders: new Set(["content-length", "host"]) });

  const head = (key: string): Promise<HeadObjectCommandOutput | undefined> =>
    ifThere(ask((how) => client.send(new HeadObjectCommand(object(key)), how)));

  async function findPromoted(key: string, version: string): Promise<StoredFile | undefined> {
    const found = await head(key);
    return found?.Metadata?.[sourceVersion] === version ? toStored(found) : undefined;
  }

  return {
    name: "s3",
    origin: new URL(await sign(new PutObjectCommand({ Bucket: bucket, Key: "origin" }), clock() + 60_000)).origin,

    // No type is signed: whoever sends the bytes names any or none, and it counts for nothing.
    uploadAddress: (key, { expiresAt }) => sign(new PutObjectCommand(object(key)), expiresAt),

    downloadAddress(key, { mimeType, filename, asDownload, expiresAt }) {
      const answer = {
        ResponseContentType: mimeType,
        ResponseContentDisposition: contentDisposition(filename, asDownload),
        ResponseCacheControl: `private, max-age=${secondsUntil(expiresAt)}`,
      };
      return sign(new GetObjectCommand({ ...object(key), ...answer }), expiresAt);
    },

    async stat(key) {
      const found = await head(key);
      return found && toStored(found);
    },

    async read(key, range, signal) {
      const wanted = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
      try {
        const { Body } = await ask((how) => client.send(new GetObjectCommand({ ...object(key), ...wanted }), how), { signal });
        return watchBody(Body as Readable, patienceMs, signal);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.status === 404) throw new AppError("not_found", "There is no such file.");
        if (refusal?.status === 416) return Readable.from([]);
        throw error;
      }
    },

    write: (key, body, how) => writeObject(target, checkKey(key), body, how),

    async promote(from, version, to, mimeType) {
      checkKey(to);
      const source = await head(from);
      if (!source || plainTag(source.ETag) !== version) return findPromoted(to, version);
      const bytes = source.ContentLength ?? 0;
      try {
        await copyObject(target, { key: from, version, bytes }, { key: to, mimeType }, copyLimits);
      } catch (error) {
        // 412: written over since the look above. 404: somebody else promoted it.
        if (![404, 412].includes(refusalOf(error)?.status ?? 0)) throw error;
        return findPromoted(to, version);
      }
      const made = await findPromoted(to, version);
      if (made?.bytes !== bytes) throw new AppError("storage_unavailable", "The file store did not keep the file.", "Try again.");
      // Should this fail, the sweeper finds it.
      await ask((how) => client.send(new DeleteObjectCommand(object(from)), how), { patienceMs: tidyPatienceMs }).catch(() => {});
      return made;
    },

    async remove(key) {
      await ifThere(ask((how) => client.send(new DeleteObjectCommand(object(key)), how)));
    },

    async list(prefix, { after, limit }) {
      const found: { key: string; bytes: number; modifiedAt: number }[] = [];
      let last = after;
      for (;;) {
        const page = { Bucket: bucket, Prefix: prefix, MaxKeys: Math.min(1000, limit - found.length), StartAfter: last };
        const { Contents = [], IsTruncated } = await ask((how) => client.send(new ListObjectsV2Command(page), how));
        for (const { Key = "", Size = 0, LastModified } of Contents)
          found.push({ key: Key, bytes: Size, modifiedAt: LastModified?.getTime() ?? 0 });
        last = found.at(-1)?.key;
        if (!IsTruncated || Contents.length === 0 || found.length >= limit) return found;
      }
    },

    parts: createS3Parts(target, signPart),

    async ping() {
      await ask((how) => client.send(new HeadBucketCommand({ Bucket: bucket }), how));
    },

    close() {
      client.destroy();
      signer.destroy();
    },
  };
}

function toStored(found: HeadObjectCommandOutput): StoredFile {
  return { bytes: found.ContentLength ?? 0, version: plainTag(found.ETag), sha256: null };
}
