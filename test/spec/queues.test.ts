import assert from "node:assert/strict";
import { test } from "node:test";
import { createConnectionSlots } from "#db/connection-slots.ts";
import { createTurnLimiter, turnBudget } from "#db/event-loop-turns.ts";
import { isPoolTimeout } from "#db/postgres-errors.ts";
import { createFairQueue } from "#media/fair-queue.ts";
import { runForOwner } from "#lib/work-owner.ts";
import { createTextChecks } from "#domain/model/validation/text-checks.ts";
import { createLongWorkQueue, maxWaitingOperations, runLongWork } from "#domain/steps/long-work.ts";
import { getOutcome } from "../support/outcome.ts";
import { createSearchQueue, maxWaitingSearches } from "#domain/model/search/search-queue.ts";

/** A limiter whose turns and time the test controls. */
function createFixture() {
  let now = 0;
  let startTurn: (() => void) | undefined;
  const waitForTurn = createTurnLimiter(
    (callback) => (startTurn = callback),
    () => now,
  );
  return {
    log: [] as string[],
    /** Runs statements, each of which takes this time, until all have run. */
    async runStatements(name: string, count: number, ms = 0): Promise<void> {
      for (let i = 0; i < count; i++) {
        this.log.push(name);
        now += ms;
        await waitForTurn();
      }
    },
    /** Resolves when no statement can run before the next turn. */
    async finishTurn(): Promise<void> {
      await new Promise(setImmediate);
    },
    startTurn(): void {
      startTurn?.();
    },
  };
}

test("statements beyond the number of a turn run in the next turns (F4)", async () => {
  const fixture = createFixture();
  const count = 3 * turnBudget.statements;
  const done = fixture.runStatements("a", count);
  for (let turn = 1; turn <= 3; turn++) {
    await fixture.finishTurn();
    assert.equal(fixture.log.length, turn * turnBudget.statements);
    fixture.startTurn();
  }
  await done;
});

test("slow statements end a turn earlier, and each turn runs at least one (F4)", async () => {
  const fixture = createFixture();
  await fixture.runStatements("first", 1);
  fixture.log.length = 0;
  const done = fixture.runStatements("a", 3, turnBudget.ms + 1);
  for (let turn = 1; turn <= 3; turn++) {
    await fixture.finishTurn();
    assert.equal(fixture.log.length, turn);
    fixture.startTurn();
  }
  await done;
});

test("of callers that wait, one continues in each turn, in order (F4)", async () => {
  const fixture = createFixture();
  await fixture.runStatements("first", 1);
  const callers = Array.from({ length: 10 }, (_, i) => fixture.runStatements(`caller ${i}`, 3, turnBudget.ms));
  await fixture.finishTurn();
  fixture.log.length = 0;
  for (let turn = 0; turn < 20; turn++) {
    fixture.startTurn();
    await fixture.finishTurn();
  }
  const expected = Array.from({ length: 20 }, (_, i) => `caller ${i % 10}`);
  assert.deepEqual(fixture.log, expected);
  await finish(fixture, callers);
});

test("a request waits for one statement of each other user, however many requests they send (F4)", async () => {
  const fixture = createFixture();
  const runFor = (owner: string, count: number) =>
    runForOwner({ key: owner, group: owner }, () => fixture.runStatements(owner, count, turnBudget.ms));
  const requests = ["eve", "bob"].flatMap((owner) => Array.from({ length: 100 }, () => runFor(owner, 3)));
  await fixture.finishTurn();
  fixture.log.length = 0;
  const request = runFor("ada", 3);
  for (let turn = 0; turn < 9; turn++) {
    fixture.startTurn();
    await fixture.finishTurn();
  }
  const round = ["ada", "eve", "bob"];
  assert.deepEqual(fixture.log, [...round, ...round, ...round]);
  await finish(fixture, [...requests, request]);
});

test("a request waits for one statement of each other IP address, even if the requests from there have different credentials (F4)", async () => {
  const fixture = createFixture();
  const runFor = (key: string, group: string) =>
    runForOwner({ key, group }, () => fixture.runStatements(group, 2, turnBudget.ms));
  const requests = Array.from({ length: 100 }, (_, i) => runFor(`token ${i}`, "198.51.100.1"));
  await fixture.finishTurn();
  fixture.log.length = 0;
  const request = runFor("ada", "ada");
  for (let turn = 0; turn < 4; turn++) {
    fixture.startTurn();
    await fixture.finishTurn();
  }
  assert.deepEqual(fixture.log, ["ada", "198.51.100.1", "ada", "198.51.100.1"]);
  await finish(fixture, [...requests, request]);
});

test("a call waits for one database connection of each other user, however many they wait for (F4)", async () => {
  const acquire = createConnectionSlots(2, 60_000);
  const log: string[] = [];
  const acquireFor = (owner: string): Promise<void> =>
    runForOwner({ key: owner, group: owner }, async () => {
      const release = await acquire();
      log.push(owner);
      await new Promise(setImmediate);
      release();
    });
  const calls = Array.from({ length: 50 }, () => acquireFor("eve"));
  await Promise.all([...calls, acquireFor("ada"), acquireFor("ada")]);
  assert.deepEqual([log.length, log.indexOf("ada"), log.lastIndexOf("ada")], [52, 3, 5]);
});

test("a call that waits too long for a database connection fails, and takes none later (D2)", async () => {
  const acquire = createConnectionSlots(1, 1);
  const release = await acquire();
  await assert.rejects(acquire(), isPoolTimeout);
  release();
  (await acquire())();
});

async function finish(fixture: ReturnType<typeof createFixture>, work: readonly Promise<void>[]): Promise<void> {
  const workDone = new AbortController();
  const done = Promise.all(work).then(() => workDone.abort());
  while (!workDone.signal.aborted) {
    fixture.startTurn();
    await fixture.finishTurn();
  }
  await done;
}

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

test("a user's long text is checked before the hundreds of another user that wait (F4, F7)", async () => {
  const textChecks = createTextChecks();
  let checkCount = 0;
  const check = () => ({ length: ++checkCount, problems: [] });
  const findFor = (userId: string, key: string) =>
    runForOwner({ key: userId, group: userId }, () => textChecks.find(key, check));
  const others = Array.from({ length: 500 }, (_, i) => findFor("busy", `busy ${i}`));
  const { length } = await findFor("other", "other");
  assert.ok(length !== undefined && length <= 3, `checked as number ${length}`);
  await Promise.all(others);
  assert.equal(checkCount, 501);
  assert.equal((await findFor("other", "later")).length, 502);
});
