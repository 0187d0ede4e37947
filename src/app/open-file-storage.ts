import { join } from "node:path";
import type { Config } from "#config/config.ts";
import type { FileStore } from "#domain/ports/file-store.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createFileTokens, type FileTokens } from "#http/files/file-tokens.ts";
import { minutes, systemClock } from "#lib/clock.ts";
import { runEvery, type RepeatingJob } from "#lib/repeat.ts";
import type { Log } from "#lib/log.ts";
import type { Signer } from "#lib/signed-token.ts";
import { openDiskStore, type DiskStore } from "#storage/disk/disk-store.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";

/** The disk store, whose files are uploaded and downloaded through our own HTTP routes. */
export interface DiskFileStorage {
  store: DiskStore;
  tokens: FileTokens;
}

export interface FileStorage {
  files: FileStore;
  /** Absent if files are stored in S3. */
  disk?: DiskFileStorage;
  /** Starts the background jobs of the store. */
  startJobs(log: Log): RepeatingJob[];
}

export async function openFileStorage(
  config: Config,
  { assets }: Pick<Deps, "assets">,
  signer: Signer,
): Promise<FileStorage> {
  const { storage, dataDir, base } = config;
  if (storage.kind === "s3") {
    // Imported only if it is used: the AWS SDK needs 20 MB of memory.
    const { openS3Store } = await import("#storage/s3/s3-store.ts");
    const store = await openS3Store({ settings: storage, clock: systemClock });
    return { files: store, startJobs: (log) => [startCorsJob(store, config, log)] };
  }
  const tokens = createFileTokens(signer, base);
  const store = await openDiskStore({
    root: join(dataDir, "files"),
    urls: tokens,
    clock: systemClock,
    // If the database has files but the folder is empty, DATA_DIR is wrong or not mounted.
    mustExist: await assets.hasReadyAssets(),
  });
  return { files: store, disk: { store, tokens }, startJobs: () => [] };
}

/** Ensures, at startup and every ten minutes, that the bucket's CORS rules allow uploads from our pages. */
function startCorsJob(store: S3Store, { base, uploadPage }: Config, log: Log): RepeatingJob {
  const origins = [...new Set([base, uploadPage])];
  const updateCorsRules = async (): Promise<void> => {
    if (await store.allowCorsOrigins(origins))
      log.info({ origins }, "updated the bucket's CORS rules to allow uploads from our pages");
  };
  updateCorsRules().catch((error: unknown) =>
    log.warn(
      { err: error },
      "failed to read or update the bucket's CORS rules, which browser uploads require (docs/uploads.md)",
    ),
  );
  return runEvery(minutes(10), "bucket", updateCorsRules, log);
}
