import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** Looks again and again, for what tells nobody when it comes true. Patient: how fast a machine is proves nothing. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { withinMs = 20_000, everyMs = 10, what = "what was waited for" } = {},
): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await condition()); await sleep(everyMs))
    assert.ok(performance.now() < deadline, `${what}: not within ${withinMs} ms`);
}
