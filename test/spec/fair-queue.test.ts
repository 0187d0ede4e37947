import assert from "node:assert/strict";
import { test } from "node:test";
import { createFairQueue } from "#media/fair-queue.ts";

type Requester = Parameters<ReturnType<typeof createFairQueue>>[0][number];

const preview = (studioId: string, signal?: AbortSignal): Requester => ({ studioId, isUrgent: false, signal });
const urgent = (studioId: string): Requester => ({ studioId, isUrgent: true });

/** A queue with one slot, which is taken until `release` is called. */
function startBlockedQueue(maxWaiting = 10) {
  const run = createFairQueue(1, maxWaiting);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const order: string[] = [];
  const blocker = run([preview("a")], () => released);
  const add = (name: string, requesters: readonly Requester[]) => run(requesters, async () => order.push(name));
  return { add, order, blocker, release };
}

test("runs publications before previews, and takes turns between the studios that wait for previews (U15)", async () => {
  const run = createFairQueue(3, 10);
  const order: string[] = [];
  const releases: (() => void)[] = [];
  const add = (name: string, requester: Requester) =>
    run([requester], async () => {
      order.push(name);
      await new Promise<void>((resolve) => releases.push(resolve));
    });
  const tasks = [add("d", preview("d")), ...["a1", "a2", "a3", "a4"].map((name) => add(name, preview("a")))];
  tasks.push(add("b", preview("b")), add("c", urgent("c")));
  await Promise.resolve();
  assert.deepEqual(order, ["d", "a1", "a2"]);
  while (releases.length > 0) {
    releases.pop()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(tasks);
  assert.deepEqual(order, ["d", "a1", "a2", "c", "b", "a3", "a4"]);
});

test("does not start work whose requesters have aborted, unless a publication needs it too (U15)", async () => {
  const { add, order, blocker, release } = startBlockedQueue();
  const controller = new AbortController();
  const shared = [preview("a", controller.signal)];
  const tasks = [add("abandoned", [preview("a", controller.signal)]), add("shared", shared)];
  shared.push({ ...preview("a"), isUrgent: true });
  controller.abort();
  release();
  await blocker;
  assert.deepEqual(await Promise.all(tasks), [undefined, { value: 1 }]);
  assert.deepEqual(order, ["shared"]);
});

test("limits the waiting previews of a studio, but not its publications or other studios (U15)", async () => {
  const { add, order, blocker, release } = startBlockedQueue(1);
  const tasks = [add("waits", [preview("a")])];
  assert.equal(await add("too many", [preview("a")]), undefined);
  tasks.push(add("other studio", [preview("b")]), add("publication", [urgent("a")]));
  release();
  await Promise.all([blocker, ...tasks]);
  assert.deepEqual(order.toSorted(), ["other studio", "publication", "waits"]);
});

test("one studio never occupies every process, neither with previews nor with publications (U15, F6)", async () => {
  const run = createFairQueue(3, 10);
  const order: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const add = (name: string, requester: Requester) =>
    run([requester], async () => {
      order.push(name);
      await released;
    });
  const tasks = [add("a1", preview("a")), add("a2", urgent("a")), add("a3", urgent("a")), add("a4", preview("a"))];
  tasks.push(add("b1", preview("b")));
  await new Promise(setImmediate);
  assert.deepEqual(order, ["a1", "a2", "b1"]);
  release();
  await Promise.all(tasks);
  assert.deepEqual(order, ["a1", "a2", "b1", "a3", "a4"]);
});
