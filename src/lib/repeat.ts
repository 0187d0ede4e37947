import type { Log } from "./log.ts";

export interface RepeatingJob {
  /** No further run; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` again and again, `ms` apart give or take a tenth, so that instances started together drift apart.
 * Keeps no process alive; long work looks at `isStopping` before it begins with something more. A failure that repeats is logged once, and once more when it is over.
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
      if (isFailing) log.info({ job: name }, "a job that failed works again");
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ job: name, err: error }, "a job failed; it is tried again");
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
