import { createHash } from "node:crypto";
import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Stores } from "../deps.ts";
import { line } from "../text.ts";

const keptFor = hours(24);

export const idempotencyKey = line(200)
  .optional()
  .describe(
    "Any text of your own that names this attempt. Repeating the call with the same key and input within 24 hours answers the first result again instead of doing it twice.",
  );

/**
 * Does `work` once for a key: the same key with the same input answers the first result again.
 * Runs inside the transaction of the work itself, so that the answer and what it tells of stand or fall together.
 */
export async function once<T>(
  deps: Pick<Deps, "clock">,
  tx: Pick<Stores, "idempotency">,
  caller: Caller,
  call: { verb: string; key: string | undefined; input: unknown },
  work: () => Promise<T>,
): Promise<T> {
  if (call.key === undefined) return work();
  const key = { studioId: caller.studio.id, userId: caller.user.id, verb: call.verb, key: call.key };
  const inputHash = createHash("sha256").update(JSON.stringify(call.input)).digest("base64url");
  const now = deps.clock();
  const kept = await tx.idempotency.claim(key, inputHash, now, now - keptFor);
  if (!kept) {
    const result = await work();
    await tx.idempotency.keep(key, JSON.stringify(result));
    return result;
  }
  if (kept.inputHash === inputHash) return JSON.parse(kept.result) as T;
  throw new AppError(
    "idempotency_conflict",
    "This idempotencyKey was used with other input in the last 24 hours.",
    "Use a new key for a new call.",
  );
}
