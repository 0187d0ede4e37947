import { seconds } from "#lib/clock.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { sweepTrash } from "./sweep-trash.ts";

/** How long the response waits for the deletion; the sweeper deletes the remaining files. */
const sweepTimeoutMs = seconds(4);

/** Deletes everything in the studio's trash for good. Once the transaction commits, nothing can be restored. */
export async function emptyTrash(
  deps: Pick<Deps, "trash" | "posts" | "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: Caller,
): Promise<void> {
  authorize(caller, "trash.empty");
  const count = await deps.transact(caller, async (tx) => {
    const expiredCount = await tx.trash.expireAll(caller.studio.id, deps.clock());
    if (expiredCount > 0)
      await recordActivity(deps, tx, caller, "trash.emptied", caller.studio.id, { items: expiredCount });
    return expiredCount;
  });
  if (count === 0) return;
  const deadline = deps.clock() + sweepTimeoutMs;
  await sweepTrash(deps, { pause: async () => {}, shouldStop: () => deps.clock() >= deadline }).catch(() => {
    // The trash is empty for its users. The sweeper retries, and logs errors.
  });
}
