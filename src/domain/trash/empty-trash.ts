import { seconds } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import { expireTrash } from "../changes/delete-content.ts";
import type { Deps } from "../ports/deps.ts";
import { runLongWork } from "../steps/long-work.ts";
import { authorize } from "../policy.ts";
import type { TrashPosition } from "../ports/trash.ts";
import { sweepTrash } from "../steps/sweep-trash.ts";

/** How long the response waits for the deletion; the sweeper deletes the remaining files. */
const sweepTimeoutMs = seconds(4);

/** Items per transaction: few, so that other writes wait only briefly. */
const batchSize = 200;

/**
 * Deletes everything in the studio's trash for good. Once the transaction of a batch commits, its items can't be
 * restored; if the process is killed, the other items stay in the trash.
 */
export async function emptyTrash(
  deps: Pick<Deps, "trash" | "posts" | "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock" | "longWork">,
  caller: Caller,
): Promise<void> {
  authorize(caller, "trash.empty");
  await runLongWork(deps, caller, async () => {
    if ((await expireItems(deps, caller)) === 0) return;
    const deadline = deps.clock() + sweepTimeoutMs;
    await sweepTrash(deps, { pause: async () => {}, shouldStop: () => deps.clock() >= deadline }).catch(() => {
      // The trash is empty for its users. The sweeper retries, and logs errors.
    });
  });
}

/** Makes what is in the trash now expire, in batches; returns the number of items. */
async function expireItems(
  deps: Pick<Deps, "trash" | "transact" | "newId" | "clock">,
  caller: Caller,
): Promise<number> {
  const now = deps.clock();
  let [count, after]: [number, TrashPosition | undefined] = [0, undefined];
  for (;;) {
    const items: TrashPosition[] = await deps.trash.list(caller.studio.id, now, after, batchSize);
    if (items.length === 0) return count;
    count += await deps.transact(caller, (tx) => expireTrash(deps, tx, caller, items, now));
    after = items.at(-1);
  }
}
