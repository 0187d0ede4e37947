import type { ProgressReporter } from "./tell.ts";

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
