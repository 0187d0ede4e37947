import { startWorkerLoop, type WorkerLoop } from "#lib/worker-loop.ts";
import type { ActivityRow } from "../model/activity.ts";
import type { Deps, Tx } from "../ports/deps.ts";

/** A reader of events, such as the webhooks. An event is an activity row. */
export interface EventReader {
  /**
   * Stores what the events cause, in the transaction that takes them: each event reaches each reader exactly once. It may
   * run more than once for a batch that was rolled back, and must not throw because of what an event contains.
   */
  read(tx: Tx, events: readonly ActivityRow[]): Promise<void>;
  /** Called after the commit. */
  wake?(): void;
}

/** Events per transaction. */
const batchSize = 100;
const defaultPollMs = 500;

export interface FanOutOptions {
  readers: readonly EventReader[];
  onError: (error: unknown) => void;
  /** How often to look for events without a wake-up. Longer in tests of wake-ups. */
  pollMs?: number;
}

/** Passes new activity to the readers. Any number of processes can do so. */
export function startFanOut(
  deps: Pick<Deps, "activity" | "transact">,
  { readers, onError, pollMs = defaultPollMs }: FanOutOptions,
): WorkerLoop {
  const work = async (): Promise<number> => {
    await fanOut(deps, readers);
    return pollMs;
  };
  return startWorkerLoop({ work, pollMs, onError });
}

/** Passes all events that no other process has taken to the readers. */
export async function fanOut(
  deps: Pick<Deps, "activity" | "transact">,
  readers: readonly EventReader[],
): Promise<void> {
  while (await deps.activity.hasPending()) {
    const count = await deps.transact({ job: "fan out" }, async (tx) => {
      const events = await tx.activity.takePending(batchSize);
      if (events.length > 0) for (const { read } of readers) await read(tx, events);
      return events.length;
    });
    if (count > 0) for (const { wake } of readers) wake?.();
    if (count < batchSize) return; // the rest is new, or another process is taking it
  }
}
