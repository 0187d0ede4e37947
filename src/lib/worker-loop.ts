export interface WorkerLoop {
  /** Starts `work` now, or once more if it is running. */
  wake(): void;
  /** Prevents further runs; resolves when the current run has ended. */
  stop(): Promise<void>;
}

export interface WorkerLoopOptions {
  /** Does what is due. Returns how long to wait until the next run, unless the loop is woken. */
  work: () => Promise<number>;
  /** How long to wait after a failure. */
  pollMs: number;
  /** Called for the first of repeated failures: otherwise an outage would fill the log. */
  onError: (error: unknown) => void;
}

/** Runs `work` again and again, never twice at the same time. */
export function startWorkerLoop({ work, pollMs, onError }: WorkerLoopOptions): WorkerLoop {
  const controller = new AbortController();
  let isFailing = false;
  let wakeUp = Promise.withResolvers<void>();

  async function tryWork(): Promise<number> {
    try {
      const idleMs = await work();
      isFailing = false;
      return idleMs;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
      return pollMs;
    }
  }

  async function loop(): Promise<void> {
    while (!controller.signal.aborted) {
      // Created before the run, so that a wake-up during the run starts another one.
      wakeUp = Promise.withResolvers();
      const timer = setTimeout(wakeUp.resolve, await tryWork());
      await wakeUp.promise;
      clearTimeout(timer);
    }
  }

  const loopEnd = loop();
  return {
    wake: () => wakeUp.resolve(),
    async stop() {
      controller.abort();
      wakeUp.resolve();
      await loopEnd;
    },
  };
}
