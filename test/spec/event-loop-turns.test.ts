import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurnLimiter, turnBudget } from "#db/event-loop-turns.ts";

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

test("a short request among long ones runs as often as each of them (F4)", async () => {
  const fixture = createFixture();
  const longWork = Array.from({ length: turnBudget.callers - 1 }, () => fixture.runStatements("long", 100));
  await fixture.finishTurn();
  const shortRequest = fixture.runStatements("short", 4);
  assert.equal(fixture.log.at(-1), "short", "runs its first statement at once");
  fixture.startTurn();
  await fixture.finishTurn();
  assert.equal(fixture.log.filter((name) => name === "short").length, 4, "finishes in the next turn");
  await finish(fixture, [...longWork, shortRequest]);
});

test("of many callers that wait, a few continue in each turn, in order (F4)", async () => {
  const fixture = createFixture();
  await fixture.runStatements("first", 1);
  const callers = Array.from({ length: 3 * turnBudget.callers }, (_, i) =>
    fixture.runStatements(`caller ${i}`, 3, turnBudget.ms),
  );
  await fixture.finishTurn();
  for (let turn = 0; turn < 3; turn++) {
    fixture.log.length = 0;
    fixture.startTurn();
    await fixture.finishTurn();
    const first = turn * turnBudget.callers;
    const expected = Array.from({ length: turnBudget.callers }, (_, i) => `caller ${first + i}`);
    assert.deepEqual(fixture.log, expected);
  }
  await finish(fixture, callers);
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
