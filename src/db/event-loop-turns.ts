/** The maximum number of statements, and their duration, in one turn of the event loop. */
export const turnBudget = { statements: 50, ms: 5 } as const;

/**
 * node:sqlite is synchronous, so a loop that awaits only its statements would never let the event loop run anything else.
 * Returns a function to call before each statement: once the budget of this turn is used up, it returns a promise for
 * the next turn. All callers share the budget. Those that wait take turns, one statement each, so a short request among
 * long ones waits only briefly.
 */
export function createTurnLimiter(
  startNextTurn: (callback: () => void) => void = setImmediate,
  now: () => number = () => performance.now(),
): () => Promise<void> | undefined {
  let statementCount = 0;
  let startedAt = 0;
  let waiting: (() => void)[] = [];

  function startTurn(): void {
    statementCount = 0;
    const resumed = waiting;
    waiting = [];
    for (const resume of resumed) resume();
  }

  const isSpent = (): boolean =>
    statementCount >= turnBudget.statements || (statementCount > 0 && now() - startedAt >= turnBudget.ms);

  function countStatement(): void {
    if (statementCount++ > 0) return;
    startedAt = now();
    startNextTurn(startTurn);
  }

  async function waitForTurn(): Promise<void> {
    while (isSpent()) await new Promise<void>((resolve) => waiting.push(resolve));
    countStatement();
  }

  return () => (isSpent() ? waitForTurn() : void countStatement());
}
