import { join } from "node:path";
import type { Config } from "#config/config.ts";
import type { FileStore } from "#domain/assets/model/file-store.ts";
import type { Deps } from "#domain/deps.ts";
import { createFileTokens, type FileTokens } from "#http/files/file-tokens.ts";
import { minutes, systemClock } from "#lib/clock.ts";
import { runEvery, type RepeatingJob } from "#lib/repeat.ts";
import type { Log } from "#lib/log.ts";
import type { Signer } from "#lib/signed-token.ts";
import { openDiskStore, type DiskStore } from "#storage/disk/disk-store.ts";
import { openS3Store, type S3Store } from "#storage/s3/s3-store.ts";

/** A store whose bytes pass through our own door. */
export interface DiskFileStorage {
  store: DiskStore;
  tokens: FileTokens;
}

export interface FileStorage {
  files: FileStore;
  /** Absent where files lie elsewhere. */
  disk?: DiskFileStorage;
  /** What the store wants done from time to time. */
  startJobs(log: Log): RepeatingJob[];
}

/** The store that the settings name. */
export async function openFileStorage(
  config: Config,
  { assets }: Pick<Deps, "assets">,
  signer: Signer,
): Promise<FileStorage> {
  const { storage, dataDir, base } = config;
  if (storage.kind === "s3") {
    const store = await openS3Store({ settings: storage, clock: systemClock });
    return { files: store, startJobs: (log) => [startCorsJob(store, config, log)] };
  }
  const tokens = createFileTokens(signer, base);
  const store = await openDiskStore({
    root: join(dataDir, "files"),
    urls: tokens,
    clock: systemClock,
    // A folder that is empty though files were stored is not the folder that they were stored in.
    mustExist: await assets.hasReadyAssets(),
  });
  return { files: store, disk: { store, tokens }, startJobs: () => [] };
}

/** Sees to it, at start and from time to time, that the bucket takes bytes from our pages. */
function startCorsJob(store: S3Store, { base, uploadPage }: Config, log: Log): RepeatingJob {
  const origins = [base, uploadPage].map((url) => new URL(url).origin);
  const work = async (): Promise<void> => {
    if (await store.allowCorsOrigins(origins))
      log.info({ origins }, "the bucket's CORS rules now allow uploads from our pages");
  };
  work().catch((error: unknown) =>
    log.warn(
      { err: error },
      "the bucket's CORS rules could not be seen to; uploads from browsers need one (docs/uploads.md)",
    ),
  );
  return runEvery(minutes(10), "bucket", work, log);
}
