import {
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutObjectCommand,
  type CORSRule,
  type UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { Readable } from "node:stream";
import type { FileStore } from "#domain/ports/file-store.ts";
import type { Clock } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { formatContentDisposition } from "#lib/file-name.ts";
import { validateKey } from "../validate-key.ts";
import {
  createS3Client,
  createS3Target,
  defaultTimeoutMs,
  getStatus,
  undefinedIfMissing,
  withIdleTimeout,
  type S3Settings,
  type S3Target,
} from "./s3-target.ts";
import { createPromote, defaultCopyLimits, toStoredFile, type CopyLimits } from "./promote-object.ts";
import { createS3Parts } from "./parts.ts";
import { writeObject } from "./write-object.ts";

export interface S3Options {
  settings: S3Settings;
  clock: Clock;
  /** How long to wait for a response, and for the next bytes of a body. */
  timeoutMs?: number;
  copyLimits?: CopyLimits;
}

export interface S3Store extends FileStore {
  /** Allows pages of these origins to send bytes to the bucket. Resolves to true if the CORS rules had to change. */
  allowCorsOrigins(origins: readonly string[]): Promise<boolean>;
  close(): void;
}

/** Opens any S3-compatible store. Clients upload to it and download from it directly. */
export async function openS3Store(options: S3Options): Promise<S3Store> {
  const { settings, clock, timeoutMs = defaultTimeoutMs, copyLimits = defaultCopyLimits } = options;
  const { bucket } = settings;
  const client = createS3Client(settings);
  // Signs URLs for the endpoint that browsers use. Signing sends no request.
  const signer = createS3Client(settings, settings.publicEndpoint ?? settings.endpoint);
  const target = createS3Target(client, bucket, timeoutMs);
  const { send } = target;
  const toObjectParams = (key: string) => ({ Bucket: bucket, Key: validateKey(key) });

  const secondsUntil = (time: number) => Math.max(1, Math.floor((time - clock()) / 1000));
  const toSigningOptions = (expiresAt: number) => ({
    expiresIn: secondsUntil(expiresAt),
    signingDate: new Date(clock()),
  });
  const sign = (command: PutObjectCommand | GetObjectCommand, expiresAt: number) =>
    getSignedUrl(signer, command, toSigningOptions(expiresAt));
  const signPart = (command: UploadPartCommand, expiresAt: number) =>
    getSignedUrl(signer, command, {
      ...toSigningOptions(expiresAt),
      signableHeaders: new Set(["content-length", "host"]),
    });

  return {
    name: "s3",
    // A URL is signed only to read its origin, which depends on the addressing style. The key does not matter.
    origin: new URL(await sign(new PutObjectCommand({ Bucket: bucket, Key: "any" }), clock() + 60_000)).origin,

    // The type is not signed: clients may send any Content-Type or none, and it is ignored.
    createUploadUrl: (key, { expiresAt }) => sign(new PutObjectCommand(toObjectParams(key)), expiresAt),

    createDownloadUrl(key, { mimeType, filename, asDownload, expiresAt }) {
      const responseOverrides = {
        ResponseContentType: mimeType,
        ResponseContentDisposition: formatContentDisposition(filename, asDownload),
        ResponseCacheControl: `private, max-age=${secondsUntil(expiresAt)}`,
      };
      return sign(new GetObjectCommand({ ...toObjectParams(key), ...responseOverrides }), expiresAt);
    },

    async stat(key) {
      const headOutput = await target.head(key);
      return headOutput && toStoredFile(headOutput);
    },

    async read(key, range, signal) {
      const rangeParams = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
      const command = new GetObjectCommand({ ...toObjectParams(key), ...rangeParams });
      try {
        const { Body } = await send(command, { signal });
        return withIdleTimeout(Body as Readable, timeoutMs, signal);
      } catch (error) {
        if (getStatus(error) === 404) throw notFoundError("file");
        if (getStatus(error) === 416) return Readable.from([]);
        throw error;
      }
    },

    write: (key, body, writeOptions) => writeObject(target, validateKey(key), body, writeOptions),

    promote: createPromote(target, copyLimits),

    async remove(key) {
      await undefinedIfMissing(send(new DeleteObjectCommand(toObjectParams(key))));
    },

    async list(prefix, { after, limit }) {
      const listedKeys: { key: string; bytes: number; modifiedAt: number }[] = [];
      let lastKey = after;
      for (;;) {
        const listParams = {
          Bucket: bucket,
          Prefix: prefix,
          MaxKeys: Math.min(1000, limit - listedKeys.length),
          StartAfter: lastKey,
        };
        const { Contents = [], IsTruncated } = await send(new ListObjectsV2Command(listParams));
        for (const { Key = "", Size = 0, LastModified } of Contents)
          listedKeys.push({ key: Key, bytes: Size, modifiedAt: LastModified?.getTime() ?? 0 });
        lastKey = listedKeys.at(-1)?.key;
        if (!IsTruncated || Contents.length === 0 || listedKeys.length >= limit) return listedKeys;
      }
    },

    parts: createS3Parts(target, signPart),

    async ping() {
      await send(new HeadBucketCommand({ Bucket: bucket }));
    },

    allowCorsOrigins: (origins) => allowCorsOrigins(target, origins),

    close() {
      client.destroy();
      signer.destroy();
    },
  };
}

/**
 * Browsers send parts straight to the bucket, so its CORS rules must allow the origins of our pages. Adds a rule if one
 * is missing, and resolves to whether it did. The rule grants no access by itself: every URL is signed.
 */
async function allowCorsOrigins({ bucket, send }: S3Target, origins: readonly string[]): Promise<boolean> {
  const corsConfig = await undefinedIfMissing(send(new GetBucketCorsCommand({ Bucket: bucket })));
  const rules = corsConfig?.CORSRules ?? [];
  const missingOrigins = [...new Set(origins)].filter((origin) => !rules.some((rule) => allowsPut(rule, origin)));
  if (missingOrigins.length === 0) return false;
  const newRule: CORSRule = {
    AllowedOrigins: missingOrigins,
    AllowedMethods: ["PUT", "GET", "HEAD"],
    AllowedHeaders: ["*"],
    MaxAgeSeconds: 3600,
  };
  const command = new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [...rules, newRule] } });
  await send(command);
  return true;
}

function allowsPut({ AllowedOrigins = [], AllowedMethods = [] }: CORSRule, origin: string): boolean {
  return (
    AllowedMethods.includes("PUT") &&
    AllowedOrigins.some((allowedOrigin) => allowedOrigin === "*" || allowedOrigin === origin)
  );
}
