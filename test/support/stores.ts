import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { createHash, randomBytes } from "node:crypto";
import { after, before, describe } from "node:test";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { FileStore } from "#domain/ports/file-store.ts";
import { systemClock } from "#lib/clock.ts";
import { openS3Store, type S3Options, type S3Store } from "#storage/s3/s3-store.ts";
import { createS3Client, type S3Settings } from "#storage/s3/s3-target.ts";
import { startFileServer, type FileServer } from "./file-server.ts";

/** The fields are set before the first test of a suite, so only tests and hooks may read them. */
export interface StoreFixture {
  store: FileStore;
  /** A unique prefix for the keys of this suite. */
  keyPrefix: string;
}

/** The stores that this run can test; without an S3 server, `npm test` reports what was not tested. */
export function listStoreNames(): FileStore["name"][] {
  return process.env["TEST_S3_ENDPOINT"] ? ["disk", "s3"] : ["disk"];
}

/** The `skip` option of a test that needs an S3 server: false if this run has one. */
export const skipWithoutS3: string | false = !listStoreNames().includes("s3") && "not available: S3 server";

/** Defines the same suite for each store. */
export function forEachStore(name: string, define: (fixture: StoreFixture) => void): void {
  for (const kind of listStoreNames()) {
    describe(`${name} (${kind})`, () => {
      const fixture = {} as StoreFixture;
      let fileServer: FileServer | undefined;
      before(async () => {
        fileServer = kind === "disk" ? await startFileServer() : undefined;
        const store = fileServer?.store ?? (await openTestS3({ settings: { bucket: await createTestBucket() } }));
        Object.assign(fixture, { store, keyPrefix: createUniqueName() });
      });
      after(async () => {
        if (fixture.store.name === "s3") (fixture.store as S3Store).close();
        await fileServer?.close();
      });
      define(fixture);
    });
  }
}

export const createUniqueName = (): string => `t${randomBytes(6).toString("hex")}`;

/** The settings of the S3 server of this run. */
export function getTestS3Settings(): S3Settings {
  const read = (name: string, fallback = "") => process.env[`TEST_S3_${name}`] ?? fallback;
  return {
    endpoint: read("ENDPOINT"),
    region: read("REGION", "us-east-1"),
    bucket: read("BUCKET"),
    accessKeyId: read("ACCESS_KEY_ID"),
    secretAccessKey: read("SECRET_ACCESS_KEY"),
    forcePathStyle: read("FORCE_PATH_STYLE", "true") === "true",
  };
}

/** The settings with which a server uses the S3 server of the tests. */
export function getTestS3Environment(): Record<string, string> {
  const s3 = getTestS3Settings();
  return {
    STORAGE: "s3",
    S3_ENDPOINT: s3.endpoint ?? "",
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: String(s3.forcePathStyle),
  };
}

export function openTestS3(
  options: Partial<Omit<S3Options, "settings">> & { settings?: Partial<S3Settings> } = {},
): Promise<S3Store> {
  const { settings, ...rest } = options;
  return openS3Store({ settings: { ...getTestS3Settings(), ...settings }, clock: systemClock, ...rest });
}

/** Creates a bucket that no other suite uses, for suites that sweep it. */
export async function createTestBucket(): Promise<string> {
  const settings = { ...getTestS3Settings(), bucket: createUniqueName() };
  const client = createS3Client(settings);
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }));
  client.destroy();
  return settings.bucket;
}

/** Lists only the suite's own files, for suites that share a bucket: a sweeper would delete all others as orphans. */
export function withOwnFiles<Store extends FileStore>(store: Store, isOwnKey: (key: string) => boolean): Store {
  return {
    ...store,
    list: async (...args) => (await store.list(...args)).filter(({ key }) => isOwnKey(key)),
  };
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export const readBytes = (stream: Readable): Promise<Buffer> => buffer(stream);

/** Returns the SHA-256 digest of the file at a key. */
export async function readDigest(store: FileStore, key: string): Promise<string> {
  return sha256(await readBytes(await store.read(key)));
}

export async function* toChunks(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}

/** Sends raw bytes with PUT and no extra headers, as `curl -T` does; returns the status. */
export async function putBytes(url: string, body: Uint8Array): Promise<number> {
  const response = await fetch(url, { method: "PUT", body: Buffer.from(body) });
  await response.arrayBuffer();
  return response.status;
}
