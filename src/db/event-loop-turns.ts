/**
 * The work of one turn of the event loop: how many statements may run, for how long, and how many callers continue that
 * have waited for it.
 */
export const turnBudget = { statements: 50, ms: 5, callers: 10 } as const;

/**
 * node:sqlite is synchronous, so a loop that awaits only its statements would never let the event loop run anything else.
 * Returns a function to call after each statement: once the budget of this turn is used up, it returns a promise for a
 * later turn. All callers share the budget, and those that wait continue in order. A new request runs its first statement
 * at once.
 */
export function createTurnLimiter(
  startNextTurn: (callback: () => void) => void = setImmediate,
  now: () => number = () => performance.now(),
): () => Promise<void> | undefined {
  const waiting: (() => void)[] = [];
  let statementCount = 0;
  let startedAt = 0;
  let isTurnScheduled = false;

  function scheduleTurn(): void {
    if (isTurnScheduled) return;
    isTurnScheduled = true;
    startNextTurn(startTurn);
  }

  function startTurn(): void {
    isTurnScheduled = false;
    statementCount = 0;
    startedAt = now();
    const resumed = waiting.splice(0, turnBudget.callers);
    if (resumed.length > 0) scheduleTurn();
    for (const resume of resumed) resume();
  }

  return () => {
    if (!isTurnScheduled) startedAt = now();
    scheduleTurn();
    statementCount++;
    const isSpent = statementCount >= turnBudget.statements || now() - startedAt >= turnBudget.ms;
    return isSpent ? new Promise((resolve) => waiting.push(resolve)) : undefined;
  };
}
