import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** Polls until the condition is true. The default timeout is long, because slow machines must not fail tests. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 20_000, intervalMs = 10, description = "condition" } = {},
): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; !(await condition()); await sleep(intervalMs))
    assert.ok(performance.now() < deadline, `${description}: not true within ${timeoutMs} ms`);
}
