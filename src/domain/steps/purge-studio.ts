import { seconds } from "#lib/clock.ts";
import { deleteStudioContent, hasStudioContent, listUnusedFiles } from "../changes/delete-content.ts";
import type { Deps } from "../ports/deps.ts";
import { type ContentTable, contentTables } from "../ports/studios.ts";
import { removeFiles } from "./delete-files.ts";
import type { BatchOptions } from "./run-in-batches.ts";

/**
 * Rows per transaction, so that no transaction holds locks for long: on SQLite, all other writes wait for it. A post
 * has a few more rows than those counted in `postDetails`, and an asset also has a few dependent rows.
 */
export const purgeBatchSizes = {
  publications: 200,
  assets: 50,
  posts: 20,
  reviewLinks: 50,
  notifications: 200,
  mails: 200,
  activity: 200,
  postDetails: 400,
} as const;

/** Assets whose files are removed at the same time. Each has two or three. */
const assetsPerRemoval = 10;
/** Studios per run of the background job. */
const maxStudios = 100;
/** Longer than `deleteStudio` spends on the purge, so that the background job does not wait for the request's locks. */
export const purgeDelayMs = seconds(10);

type PurgeDeps = Pick<Deps, "studios" | "transact" | "clock" | "files" | "strayFiles">;

/** Returns the ids of deleted studios that are due to be purged, the first deleted first. */
export function listStudiosToPurge(
  { studios, clock }: Pick<Deps, "studios" | "clock">,
  limit = maxStudios,
): Promise<string[]> {
  return studios.listDeleted(clock() - purgeDelayMs, limit);
}

/**
 * Deletes the rows and files of all deleted studios. A run that was interrupted is continued by the next one. If a
 * studio can't be purged, continues with the others and then throws the error.
 */
export async function purgeDeletedStudios(deps: PurgeDeps, options: BatchOptions): Promise<{ purgedStudios: number }> {
  let purgedStudios = 0;
  const errors: unknown[] = [];
  for (const studioId of await listStudiosToPurge(deps)) {
    const wasPurged = await purgeStudio(deps, studioId, options).catch((error: unknown) => {
      errors.push(error);
      return false;
    });
    if (wasPurged) purgedStudios++;
  }
  if (errors.length > 0) throw errors[0];
  return { purgedStudios };
}

/**
 * Deletes the rows and files of a studio that is marked as deleted, in transactions of bounded size, and the studio's
 * own row last. Several processes may do this at once. Returns false if it stopped before the end.
 */
export async function purgeStudio(deps: PurgeDeps, studioId: string, options: BatchOptions): Promise<boolean> {
  for (;;) {
    for (const table of contentTables) if (!(await purgeTable(deps, studioId, table, options))) return false;
    if (await deleteIfEmpty(deps, studioId)) return true;
    // A request that started before the deletion added rows after their table was purged.
  }
}

async function purgeTable(
  deps: PurgeDeps,
  studioId: string,
  table: ContentTable,
  { pause, shouldStop }: BatchOptions,
): Promise<boolean> {
  // Each batch starts at the first id of the previous batch. When PostgreSQL reads the index entries of deleted rows
  // once more, it marks them, so that later batches skip them. If each batch started at the beginning of the table, it
  // would read the entries of all previous batches.
  let [start, lastId] = ["", ""];
  for (;;) {
    if (shouldStop()) return false;
    const limits = { limit: purgeBatchSizes[table], maxDetails: purgeBatchSizes.postDetails };
    const batch = await deps.transact({ job: "purge studio" }, (tx) =>
      deleteStudioContent(deps, tx, studioId, { table, after: start, ...limits }),
    );
    if (batch.lastId === undefined) return true;
    for (let i = 0; i < batch.assets.length && !shouldStop(); i += assetsPerRemoval)
      await removeFiles(deps, listUnusedFiles(batch.assets.slice(i, i + assetsPerRemoval)));
    [start, lastId] = [lastId, batch.lastId];
    await pause();
  }
}

/** Deletes the studio's row if all content is deleted. The lock prevents requests from adding content meanwhile. */
async function deleteIfEmpty({ transact }: Pick<Deps, "transact">, studioId: string): Promise<boolean> {
  return transact({ job: "purge studio" }, async (tx) => {
    await tx.studios.lock(studioId);
    if (await hasStudioContent(tx, studioId)) return false;
    await tx.studios.delete(studioId);
    return true;
  });
}
