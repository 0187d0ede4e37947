import { createHash } from "node:crypto";
import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller } from "./caller.ts";
import type { Deps, Stores } from "./deps.ts";
import { line } from "./text.ts";

/** What was promised under a key: for one person, in one studio, for one verb. */
export interface IdempotencyKey {
  studioId: string;
  userId: string;
  verb: string;
  key: string;
}

export interface StoredResult {
  inputHash: string;
  /** The first answer, as JSON. */
  result: string;
}

export interface IdempotencyStore {
  /** What was kept under the key, made after `expired`. */
  find(key: IdempotencyKey, expiredBefore: number): Promise<StoredResult | undefined>;
  /**
   * Takes the key for this transaction, or answers what was kept under it. Of parallel transactions one takes it;
   * the others wait for its end. Keys of the same person made before `expired` are forgotten on the way.
   */
  claim(key: IdempotencyKey, inputHash: string, now: number, expiredBefore: number): Promise<StoredResult | undefined>;
  /** Keeps the answer under a key that this transaction took. */
  saveResult(key: IdempotencyKey, result: string): Promise<void>;
}

const resultLifetime = hours(24);

export const idempotencyKey = line(200)
  .optional()
  .describe(
    "A unique text of your choice. Repeating the call with the same key and input within 24 hours returns the first result instead of running again.",
  );

export interface IdempotentCall {
  verb: string;
  key: string | undefined;
  input: unknown;
}

/**
 * Does `work` once for a key: the same key with the same input answers the first result again.
 * Runs inside the transaction of the work itself, so that the answer and what it tells of stand or fall together.
 */
export async function runOnce<T>(
  deps: Pick<Deps, "clock">,
  tx: Pick<Stores, "idempotency">,
  caller: Caller,
  call: IdempotentCall,
  work: () => Promise<T>,
): Promise<T> {
  if (call.key === undefined) return work();
  const now = deps.clock();
  const key = toIdempotencyKey(caller, call.verb, call.key);
  const storedResult = await tx.idempotency.claim(key, hashInput(call.input), now, now - resultLifetime);
  if (storedResult) return readStoredResult(storedResult, call) as T;
  const result = await work();
  await tx.idempotency.saveResult(key, JSON.stringify(result));
  return result;
}

/**
 * The answer that was given under this key before, so that long work ahead of its transaction is not done in vain.
 * Parallel calls may still both begin; `once` lets one of them end.
 */
export async function findPreviousResult<T>(
  deps: Pick<Deps, "clock" | "idempotency">,
  caller: Caller,
  call: IdempotentCall,
): Promise<T | undefined> {
  if (call.key === undefined) return undefined;
  const storedResult = await deps.idempotency.find(
    toIdempotencyKey(caller, call.verb, call.key),
    deps.clock() - resultLifetime,
  );
  return storedResult && (readStoredResult(storedResult, call) as T);
}

const toIdempotencyKey = ({ studio, user }: Caller, verb: string, key: string): IdempotencyKey => ({
  studioId: studio.id,
  userId: user.id,
  verb,
  key,
});

const hashInput = (input: unknown): string => createHash("sha256").update(JSON.stringify(input)).digest("base64url");

function readStoredResult(storedResult: StoredResult, { input }: IdempotentCall): unknown {
  if (storedResult.inputHash === hashInput(input)) return JSON.parse(storedResult.result);
  throw new AppError("idempotency_conflict");
}
