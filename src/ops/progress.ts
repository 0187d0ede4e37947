export type ProgressReporter = (text: string) => void;

export interface Progress {
  report: ProgressReporter;
  /** On a terminal, shows the last report and ends its line. */
  finish(): void;
}

/** Rewrites one line on a terminal; otherwise prints at most one line every ten seconds. */
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
