/** The command was not understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Tells how far a long command has come. */
export type ProgressReporter = (text: string) => void;

export interface Progress {
  report: ProgressReporter;
  /** Leaves the last word where it stands. */
  finish(): void;
}

/** On a terminal one line that is written over; in a log one line every ten seconds. */
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

/** Works through the items, several at once. The first failure ends it, after what was under way has ended. */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const sharedItems = toGenerator(items);
  const worker = async (): Promise<void> => {
    // A loop that is left by an error closes what it reads from: the others find it at its end.
    for (const item of sharedItems) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}

function* toGenerator<T>(items: Iterable<T>): Generator<T> {
  yield* items;
}
