import { createHash } from "node:crypto";
import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { singleLine } from "../model/text.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { IdempotencyKey, StoredResult } from "../ports/coordination.ts";

const resultLifetime = hours(24);

export const idempotencyKey = singleLine(200)
  .optional()
  .describe("Unique text of your choice; a repeat within 24 hours returns the first result.");

export interface IdempotentCall {
  verb: string;
  key: string | undefined;
  input: unknown;
}

/**
 * Runs `work` once per key: a repeated call with the same key and input returns the first result.
 * `tx` is the transaction in which `work` makes its change, so that the change and the stored result commit together.
 */
export async function runOnce<T>(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  caller: Caller,
  call: IdempotentCall,
  work: () => Promise<T>,
): Promise<T> {
  if (call.key === undefined) return work();
  const now = deps.clock();
  const key = toIdempotencyKey(caller, call.verb, call.key);
  const storedResult = await tx.idempotency.claim(key, hashInput(call.input), now, now - resultLifetime);
  if (storedResult) return parseStoredResult(storedResult, call) as T;
  const result = await work();
  await tx.idempotency.saveResult(key, JSON.stringify(result));
  return result;
}

/**
 * Returns the result stored under this key, so that verbs can skip slow work before their transaction.
 * Parallel calls may both start that work; `runOnce` lets only one of them commit.
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
  return storedResult && (parseStoredResult(storedResult, call) as T);
}

const toIdempotencyKey = ({ studio, user }: Caller, verb: string, key: string): IdempotencyKey => ({
  studioId: studio.id,
  userId: user.id,
  verb,
  key,
});

const hashInput = (input: unknown): string => createHash("sha256").update(JSON.stringify(input)).digest("base64url");

function parseStoredResult(storedResult: StoredResult, { input }: IdempotentCall): unknown {
  if (storedResult.inputHash === hashInput(input)) return JSON.parse(storedResult.result);
  throw new AppError("idempotency_conflict");
}
