import { openDatabase } from "#db/open-database.ts";
import { createFileTokens } from "#http/files/file-tokens.ts";
import type { FileStore } from "#domain/ports/file-store.ts";
import { systemClock } from "#lib/clock.ts";
import { createSigner } from "#lib/signed-token.ts";
import { openDiskStore } from "#storage/disk/disk-store.ts";
import { createDeps, silentLog, type TestDeps } from "./engines.ts";
import { startMain } from "./main-process.ts";
import { createTempFolder } from "./temp-folder.ts";
import { findFreeBaseUrl } from "./service.ts";
import { openTestS3, getTestS3Environment } from "./stores.ts";

/** The service in a separate process, and access to its database and store from the test. */
export interface UploadProcess {
  base: string;
  deps: TestDeps;
  /** Starts the service again after `kill`. */
  start(): Promise<void>;
  /** Sends SIGKILL; resolves after the process has exited. */
  kill(): Promise<void>;
  /** The current resident memory. */
  getMemoryBytes(): number;
  close(): Promise<void>;
}

const secret = "a test secret that is long enough";

export async function createUploadProcess(store: FileStore["name"]): Promise<UploadProcess> {
  const folder = createTempFolder();
  const dataDir = `${folder.path}/data`;
  const base = await findFreeBaseUrl();
  const storage = store === "s3" ? getTestS3Environment() : {};
  const env = { PORT: new URL(base).port, BASE_URL: base, DATA_DIR: dataDir, SECRETS: secret, ...storage };
  let main = await startMain(env);
  const database = await openDatabase({ databaseUrl: undefined, dataDir, log: silentLog });
  const signer = createSigner([secret], systemClock);
  const s3Store = store === "s3" ? await openTestS3() : undefined;
  const files =
    s3Store ??
    (await openDiskStore({ root: `${dataDir}/files`, urls: createFileTokens(signer, base), clock: systemClock }));
  return {
    base,
    deps: { ...createDeps(database, systemClock), files, signer, baseUrl: base, uploadPage: base },
    start: async () => void (main = await startMain(env)),
    kill: () => main.kill(),
    getMemoryBytes: () => main.getMemoryBytes(),
    async close() {
      await main.kill();
      await database.close();
      s3Store?.close();
      folder.remove();
    },
  };
}
