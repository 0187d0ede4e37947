import { setImmediate as nextTurn } from "node:timers/promises";

/** Waits for this many turns of the event loop. A random number varies the order of concurrent calls. */
export async function waitTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}
