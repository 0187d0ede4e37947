import type { Log } from "./log.ts";

export interface RepeatingJob {
  /** Prevents further runs; resolves when the current run has ended. */
  stop(): Promise<void>;
}

/**
 * Waits for the interval, runs `work`, and repeats, with 10 % jitter so that instances started together spread out. Does
 * not keep the process alive. Long work should check `isStopping` between steps. Logs the first of repeated failures,
 * and the recovery.
 */
export function runEvery(
  intervalMs: number,
  name: string,
  work: (isStopping: () => boolean) => Promise<unknown>,
  log: Log,
): RepeatingJob {
  let timer: NodeJS.Timeout | undefined;
  let currentRun: Promise<void> | undefined;
  let isStopped = false;
  let isFailing = false;

  const run = async (): Promise<void> => {
    try {
      await work(() => isStopped);
      if (isFailing) log.info({ job: name }, "background job recovered");
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ job: name, err: error }, "background job failed; will retry");
      isFailing = true;
    }
  };
  const scheduleNext = (): void => {
    if (isStopped) return;
    timer = setTimeout(
      () => void (currentRun = run().finally(scheduleNext)),
      intervalMs * (0.9 + Math.random() * 0.2),
    ).unref();
  };

  scheduleNext();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await currentRun;
    },
  };
}
