import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "#db/open-database.ts";
import { createFileTokens } from "#http/files/file-tokens.ts";
import type { Deps } from "#domain/deps.ts";
import type { FileStore } from "#domain/assets/model/file-store.ts";
import { systemClock } from "#lib/clock.ts";
import { createSigner } from "#lib/signed-token.ts";
import { openDiskStore } from "#storage/disk/disk-store.ts";
import { createDeps, silentLog } from "./engines.ts";
import { createTempFolder } from "./temp-folder.ts";
import { findFreeBaseUrl } from "./service.ts";
import { openTestS3, getTestS3Settings } from "./stores.ts";
import { waitUntil } from "./wait-until.ts";

/** The service in a separate process, and access to its database and store from the test. */
export interface UploadProcess {
  base: string;
  deps: Deps;
  start(): Promise<void>;
  /** Sends SIGKILL; resolves after the process has exited. */
  kill(): Promise<void>;
  /** The current resident memory. */
  getMemoryBytes(): number;
  getPid(): number | undefined;
  close(): Promise<void>;
}

const secret = "a test secret that is long enough";
const mainPath = join(import.meta.dirname, "../../src/main.ts");

export async function createUploadProcess(store: FileStore["name"]): Promise<UploadProcess> {
  const folder = createTempFolder();
  const dataDir = `${folder.path}/data`;
  const base = await findFreeBaseUrl();
  const s3 = store === "s3" ? getTestS3Settings() : undefined;
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const storage = s3 && {
      STORAGE: "s3",
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_FORCE_PATH_STYLE: "true",
    };
    const env = {
      PATH: process.env["PATH"],
      PORT: new URL(base).port,
      BASE_URL: base,
      DATA_DIR: dataDir,
      SECRETS: secret,
      LOG_LEVEL: "warn",
      ...storage,
    };
    child = spawn(process.execPath, [mainPath], { env, stdio: ["ignore", "inherit", "inherit"] });
    const startedChild = child;
    await waitUntil(() => {
      if (startedChild.exitCode !== null) throw new Error("the service did not start");
      return fetch(`${base}/readyz`).then(
        (response) => response.ok,
        () => false,
      );
    });
  }

  async function kill(): Promise<void> {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  await start();
  const database = await openDatabase({ databaseUrl: undefined, dataDir, log: silentLog });
  const signer = createSigner([secret], systemClock);
  const files = s3
    ? await openTestS3()
    : await openDiskStore({ root: `${dataDir}/files`, urls: createFileTokens(signer, base), clock: systemClock });
  return {
    base,
    deps: { ...createDeps(database, systemClock), files, signer, baseUrl: base, uploadPage: base },
    start,
    kill,
    getPid: () => child?.pid,
    getMemoryBytes: () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child?.pid}/status`, "utf8"))?.[1]) * 1024,
    async close() {
      await kill();
      await database.close();
      folder.remove();
    },
  };
}
