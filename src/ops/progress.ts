import type { Tell } from "./tell.ts";

export interface Progress {
  tell: Tell;
  /** Leaves the last word where it stands. */
  end(): void;
}

/** On a terminal one line that is written over; in a log one line every ten seconds. */
export function createProgress(stream: { isTTY?: boolean; write(text: string): unknown }, now: () => number): Progress {
  const patience = stream.isTTY ? 100 : 10_000;
  let shownAt = stream.isTTY ? -Infinity : now();
  let last = "";
  const show = (): void => void stream.write(stream.isTTY ? `\r\u001B[K${last}` : `${last}\n`);
  return {
    tell(text) {
      last = text;
      if (now() - shownAt < patience) return;
      shownAt = now();
      show();
    },
    end() {
      if (!stream.isTTY || last === "") return;
      show();
      stream.write("\n");
    },
  };
}
