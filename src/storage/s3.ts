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
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { FileStore } from "#domain/assets/file-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError, notFound } from "#lib/errors.ts";
import { contentDisposition } from "#lib/file-name.ts";
import { checkKey } from "./keys.ts";
import {
  createAsker,
  createClient,
  defaultPatienceMs,
  ifThere,
  refusalOf,
  watchBody,
  type S3Settings,
} from "./s3-client.ts";
import { usualCopyLimits, type CopyLimits } from "./s3-copy.ts";
import { allowPages } from "./s3-cors.ts";
import { createS3Parts } from "./s3-parts.ts";
import { createPromote, toStored } from "./s3-promote.ts";
import { writeObject, type Target } from "./s3-write.ts";

export interface S3Options {
  settings: S3Settings;
  clock: Clock;
  /** How long the store may be silent. */
  patienceMs?: number;
  copyLimits?: CopyLimits;
  random?: (bytes: number) => Uint8Array;
}

export interface S3Store extends FileStore {
  /** Lets the pages of these origins send bytes to the bucket; answers whether that had to be changed. */
  allowPages(origins: readonly string[]): Promise<boolean>;
  close(): void;
}

/** Any S3-compatible store. Bytes of clients go straight to it and come straight from it. */
export async function openS3Store(options: S3Options): Promise<S3Store> {
  const {
    settings,
    clock,
    patienceMs = defaultPatienceMs,
    copyLimits = usualCopyLimits,
    random = randomBytes,
  } = options;
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

  async function head(key: string): Promise<HeadObjectCommandOutput | undefined> {
    const command = new HeadObjectCommand(object(key));
    return ifThere(ask((how) => client.send(command, how)));
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
      const command = new GetObjectCommand({ ...object(key), ...wanted });
      try {
        const { Body } = await ask((how) => client.send(command, how), { signal });
        return watchBody(Body as Readable, patienceMs, signal);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.status === 404) throw notFound("file");
        if (refusal?.status === 416) return Readable.from([]);
        throw error;
      }
    },

    write: (key, body, how) => writeObject(target, checkKey(key), body, how),

    promote: createPromote(target, copyLimits, () => Buffer.from(random(8)).toString("hex")),

    async remove(key) {
      const command = new DeleteObjectCommand(object(key));
      await ifThere(ask((how) => client.send(command, how)));
    },

    async list(prefix, { after, limit }) {
      const found: { key: string; bytes: number; modifiedAt: number }[] = [];
      let last = after;
      for (;;) {
        const page = {
          Bucket: bucket,
          Prefix: prefix,
          MaxKeys: Math.min(1000, limit - found.length),
          StartAfter: last,
        };
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

    allowPages: (origins) => allowPages(target, origins),

    close() {
      client.destroy();
      signer.destroy();
    },
  };
}
