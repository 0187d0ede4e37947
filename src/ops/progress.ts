/** Thrown if the arguments of a command are invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export type ProgressReporter = (text: string) => void;

export interface Progress {
  report: ProgressReporter;
  /** Shows the last report and ends its line. */
  finish(): void;
}

/** Rewrites one line on a terminal; prints one line every ten seconds otherwise. */
export function createProgress(stream: { isTTY?: boolean; write(text: string): unknown }, now: () => number): Progress {
  const minIntervalMs = stream.isTTY ? 100 : 10_000;
  let lastShownAt = stream.isTTY ? -Infinity : now();
  let lastText = "";
  const show = (): void => void stream.write(stream.isTTY ? `\r\u001B[K${lastText}` : `${lastText}\n`);
  return {
    report(text) {
      lastText = text;
      if (now() - lastShownAt < minIntervalMs) return;
      lastShownAt = now();
      show();
    },
    finish() {
      if (!stream.isTTY || lastText === "") return;
      show();
      stream.write("\n");
    },
  };
}

/** Processes items concurrently. After a failure it starts no more items, waits for running ones, then throws. */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const sharedItems = toGenerator(items);
  const worker = async (): Promise<void> => {
    // An error closes the shared generator, which ends the loops of the other workers.
    for (const item of sharedItems) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}

function* toGenerator<T>(items: Iterable<T>): Generator<T> {
  yield* items;
}
