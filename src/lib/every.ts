import type { Log } from "./log.ts";

export interface Repeated {
  /** No further run; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` again and again, `ms` apart give or take a tenth, so that instances started together drift apart.
 * Keeps no process alive; long work looks at `isStopping` before it begins with something more. A failure that repeats is logged once, and once more when it is over.
 */
export function every(
  ms: number,
  name: string,
  work: (isStopping: () => boolean) => Promise<unknown>,
  log: Log,
): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;
  let failing = false;

  const run = async (): Promise<void> => {
    try {
      await work(() => stopped);
      if (failing) log.info({ job: name }, "a job that failed works again");
      failing = false;
    } catch (error) {
      if (!failing) log.error({ job: name, err: error }, "a job failed; it is tried again");
      failing = true;
    }
  };
  const wait = (): void => {
    if (stopped) return;
    timer = setTimeout(() => void (running = run().finally(wait)), ms * (0.9 + Math.random() * 0.2)).unref();
  };

  wait();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
