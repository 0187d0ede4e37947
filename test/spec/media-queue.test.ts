import assert from "node:assert/strict";
import { test } from "node:test";
import { createQueue } from "#media/queue.ts";

test("[U15] [X3] whoever waits for a turn that does not come leaves the queue, and what it held is let go", async () => {
  const inTurn = createQueue(2, 50);
  const { promise: slow, resolve: end } = Promise.withResolvers<string>();
  const first = [inTurn(() => slow), inTurn(() => slow)];
  let ran = 0;
  const crowd = Array.from({ length: 100 }, () => inTurn(async () => void ran++));
  const outcomes = await Promise.allSettled(crowd);
  assert.ok(outcomes.every(({ status }) => status === "rejected"));
  const next = inTurn(async () => "served");
  end("slow");
  assert.deepEqual(await Promise.all([...first, next]), ["slow", "slow", "served"]);
  assert.equal(ran, 0, "nobody is served who has left");
  assert.deepEqual(await Promise.all([1, 2, 3].map((one) => inTurn(async () => one))), [1, 2, 3]);
});
