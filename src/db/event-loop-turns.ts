import { createFairLine } from "#lib/fair-line.ts";

/** The work of one turn of the event loop: how many statements may run, and for how long. */
export const turnBudget = { statements: 50, ms: 5 } as const;

/**
 * node:sqlite is synchronous, so a loop that awaits only its statements would never let the event loop run anything else.
 * Returns a function to call after each statement: once the budget of this turn is used up, it returns a promise for a
 * later turn. All callers share the budget. Of those that wait, one continues per turn, and their owners take turns. A new
 * request runs its first statement at once.
 */
export function createTurnLimiter(
  startNextTurn: (callback: () => void) => void = setImmediate,
  now: () => number = () => performance.now(),
): () => Promise<void> | undefined {
  const waiting = createFairLine<() => void>();
  let statementCount = 0;
  let startedAt = 0;
  let isTurnScheduled = false;

  const isSpent = (): boolean => statementCount >= turnBudget.statements || now() - startedAt >= turnBudget.ms;

  function scheduleTurn(): void {
    if (isTurnScheduled) return;
    isTurnScheduled = true;
    startNextTurn(startTurn);
  }

  function startTurn(): void {
    isTurnScheduled = false;
    statementCount = 0;
    startedAt = now();
    const resume = waiting.take();
    if (!resume) return;
    scheduleTurn();
    resume();
  }

  return () => {
    if (!isTurnScheduled) startedAt = now();
    scheduleTurn();
    statementCount++;
    return isSpent() ? new Promise((resolve) => void waiting.add(resolve)) : undefined;
  };
}
