import assert from "node:assert/strict";
import { test } from "node:test";
import { createSearchQueue, maxWaitingSearches } from "#domain/search/search-queue.ts";
import { getOutcome } from "../support/outcome.ts";

const noPause = { sleep: async (): Promise<void> => {}, clock: () => 0 };

test("runs the searches of one user in sequence, and those of different users in parallel (X4)", async () => {
  const queue = createSearchQueue(noPause);
  const log: string[] = [];
  const search = (user: string, name: string) =>
    queue.run(user, async () => {
      log.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
    });
  await Promise.all([search("ann", "a1"), search("ann", "a2"), search("ben", "b1")]);
  assert.deepEqual(log.slice(0, 2), ["a1 starts", "b1 starts"]);
  assert.ok(log.indexOf("a2 starts") > log.indexOf("a1 ends"));
});

test("a failed search releases the queue (X4)", async () => {
  const queue = createSearchQueue(noPause);
  for (let i = 0; i < 3 * maxWaitingSearches; i++)
    await assert.rejects(
      queue.run("ann", () => Promise.reject(new Error("no database"))),
      /no database/,
    );
  await assert.rejects(
    queue.read(() => Promise.reject(new Error("no database"))),
    /no database/,
  );
  assert.deepEqual(await queue.read(async () => ({ bytes: 1 })), { bytes: 1 });
  assert.equal(await getOutcome(queue.run("ann", async () => {})), "ok");
});

test("reads chunks one at a time, with a pause after each that grows with its size and its duration (X4)", async () => {
  const pauses: number[] = [];
  let now = 0;
  const queue = createSearchQueue({ sleep: async (ms) => void pauses.push(ms), clock: () => now });
  let runningReads = 0;
  const read = ({ bytes = 0, ms = 0 }) =>
    queue.read(async () => {
      assert.equal(++runningReads, 1);
      await new Promise((resolve) => setImmediate(resolve));
      runningReads--;
      now += ms;
      return { bytes };
    });
  const megabyte = 1024 * 1024;
  await Promise.all([{ bytes: megabyte }, { bytes: 100 }, { bytes: 2 * megabyte, ms: 3 }, { ms: 20 }].map(read));
  await Promise.all([{ ms: 3_600_000 }, { ms: -3_600_000 }, {}].map(read));
  assert.deepEqual(pauses, [5, 10, 20, 100], "no pause after a small chunk, and no long pause when the clock jumps");
});
