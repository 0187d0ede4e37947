import { createHash } from "node:crypto";
import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Stores } from "../deps.ts";
import { line } from "../text.ts";
import type { IdempotencyKey, KeptAnswer } from "./ports.ts";

const keptFor = hours(24);

export const idempotencyKey = line(200)
  .optional()
  .describe(
    "Any text of your own that names this attempt. Repeating the call with the same key and input within 24 hours answers the first result again instead of doing it twice.",
  );

export interface Call {
  verb: string;
  key: string | undefined;
  input: unknown;
}

/**
 * Does `work` once for a key: the same key with the same input answers the first result again.
 * Runs inside the transaction of the work itself, so that the answer and what it tells of stand or fall together.
 */
export async function once<T>(
  deps: Pick<Deps, "clock">,
  tx: Pick<Stores, "idempotency">,
  caller: Caller,
  call: Call,
  work: () => Promise<T>,
): Promise<T> {
  if (call.key === undefined) return work();
  const now = deps.clock();
  const key = keyOf(caller, call.verb, call.key);
  const kept = await tx.idempotency.claim(key, hashOf(call.input), now, now - keptFor);
  if (kept) return sameAnswer(kept, call) as T;
  const result = await work();
  await tx.idempotency.keep(key, JSON.stringify(result));
  return result;
}

/**
 * The answer that was given under this key before, so that long work ahead of its transaction is not done in vain.
 * Parallel calls may still both begin; `once` lets one of them end.
 */
export async function answeredBefore<T>(
  deps: Pick<Deps, "clock" | "idempotency">,
  caller: Caller,
  call: Call,
): Promise<T | undefined> {
  if (call.key === undefined) return undefined;
  const kept = await deps.idempotency.find(keyOf(caller, call.verb, call.key), deps.clock() - keptFor);
  return kept && (sameAnswer(kept, call) as T);
}

const keyOf = ({ studio, user }: Caller, verb: string, key: string): IdempotencyKey => ({
  studioId: studio.id,
  userId: user.id,
  verb,
  key,
});

const hashOf = (input: unknown): string => createHash("sha256").update(JSON.stringify(input)).digest("base64url");

function sameAnswer(kept: KeptAnswer, { input }: Call): unknown {
  if (kept.inputHash === hashOf(input)) return JSON.parse(kept.result);
  throw new AppError("idempotency_conflict");
}
