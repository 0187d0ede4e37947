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
        await waitForTurn();
        this.log.push(name);
        now += ms;
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
  const longWork = Array.from({ length: 10 }, () => fixture.runStatements("long", 100));
  await fixture.finishTurn();
  const shortRequest = fixture.runStatements("short", 4);
  fixture.startTurn();
  await fixture.finishTurn();
  assert.equal(fixture.log.filter((name) => name === "short").length, 4, "finishes in one turn");
  while (fixture.log.length < 1004) {
    fixture.startTurn();
    await fixture.finishTurn();
  }
  await Promise.all([...longWork, shortRequest]);
});
