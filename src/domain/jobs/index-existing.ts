import { seconds } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";
import type { Deps } from "../ports/deps.ts";
import { searchableTables } from "../ports/search.ts";
import { type BatchOptions, runInBatches } from "../steps/run-in-batches.ts";

/** Rows per transaction: small enough not to delay other writes noticeably. */
const batchSize = 25;

const progressInterval = seconds(10);

export async function hasUnindexedRows({ searchIndex }: Pick<Deps, "searchIndex">): Promise<boolean> {
  for (const table of searchableTables) if ((await searchIndex.countUnindexed(table)) > 0) return true;
  return false;
}

/** Indexes the rows that are not indexed yet, in small transactions: a killed process loses the work of at most one. */
export async function indexExistingRows(
  deps: Pick<Deps, "searchIndex" | "transact" | "clock">,
  options: BatchOptions,
  log: Pick<Log, "info">,
): Promise<void> {
  for (const table of searchableTables) {
    const total = await deps.searchIndex.countUnindexed(table);
    if (total === 0) continue;
    log.info({ table, remaining: total }, "indexing existing rows for search");
    let indexedCount = 0;
    let reportedAt = deps.clock();
    await runInBatches(options, batchSize, async () => {
      const count = await deps.transact({ job: "index existing rows" }, (tx) =>
        tx.searchIndex.indexNext(table, batchSize),
      );
      indexedCount += count;
      if (deps.clock() - reportedAt >= progressInterval) {
        log.info(
          { table, indexed: indexedCount, remaining: Math.max(0, total - indexedCount) },
          "indexing existing rows for search",
        );
        reportedAt = deps.clock();
      }
      // Indexing a row can mark another one as not indexed, so only an empty batch is the last.
      return count === 0 ? 0 : batchSize;
    });
    if (indexedCount >= total) log.info({ table, indexed: indexedCount }, "indexed all existing rows for search");
  }
}
