import assert from "node:assert/strict";
import { test } from "node:test";
import { createSearchQueue, maxWaitingSearches } from "#domain/posts/search-queue.ts";
import { outcome } from "../support/outcome.ts";

const noPause = async (): Promise<void> => {};

test("[X4] one user's searches run one after the other, those of two users side by side", async () => {
  const queue = createSearchQueue(noPause);
  const log: string[] = [];
  const search = (user: string, name: string) =>
    queue.run(user, async () => {
      log.push(`${name} starts`);
      await new Promise((resolve) => setTimeout(resolve, 10));
      log.push(`${name} ends`);
    });
  await Promise.all([search("ann", "a1"), search("ann", "a2"), search("ben", "b1")]);
  assert.deepEqual(log.slice(0, 2), ["a1 starts", "b1 starts"]);
  assert.ok(log.indexOf("a2 starts") > log.indexOf("a1 ends"));
});

test("[X4] a search that fails makes room for the next one", async () => {
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
  assert.equal(await outcome(queue.run("ann", async () => {})), "ok");
});

test("[X4] chunks are read one at a time, with a pause after each that grows with its bytes", async () => {
  const pauses: number[] = [];
  const queue = createSearchQueue(async (ms) => void pauses.push(ms));
  let reading = 0;
  const read = (bytes: number) =>
    queue.read(async () => {
      assert.equal(++reading, 1);
      await new Promise((resolve) => setImmediate(resolve));
      reading--;
      return { bytes };
    });
  await Promise.all([1024 * 1024, 100, 2 * 1024 * 1024, 0].map(read));
  assert.deepEqual(pauses, [5, 10], "a small chunk costs nothing worth a pause");
});
