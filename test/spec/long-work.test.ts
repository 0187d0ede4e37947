import assert from "node:assert/strict";
import { test } from "node:test";
import { createLongWorkQueue, maxWaitingOperations, runLongWork } from "#domain/access/long-work.ts";
import { getOutcome } from "../support/outcome.ts";

const user = { id: "usr_1", name: "Ann", email: null };
const client = { id: "client", name: "Claude" };

test("a user runs one long operation at a time, a few wait, and more are rejected with rate_limited (F4, ERR-rate_limited)", async () => {
  const deps = { longWork: createLongWorkQueue() };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let [runningCount, maxRunningCount] = [0, 0];
  const run = () =>
    runLongWork(deps, { user }, async () => {
      maxRunningCount = Math.max(maxRunningCount, ++runningCount);
      await released;
      runningCount--;
    });
  const accepted = Array.from({ length: 1 + maxWaitingOperations }, run);
  assert.equal(await getOutcome(run()), "rate_limited");
  release();
  await Promise.all(accepted);
  assert.equal(maxRunningCount, 1);
  assert.equal(await getOutcome(run()), "ok", "the queue is empty again");
});

test("long operations of other users, and of the user in the web app, do not wait for those of a client (F4)", async () => {
  const deps = { longWork: createLongWorkQueue() };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const clientCall = runLongWork(deps, { user, client }, () => released);
  await runLongWork(deps, { user }, async () => {});
  await runLongWork(deps, { user: { ...user, id: "usr_2" }, client }, async () => {});
  release();
  await clientCall;
});
