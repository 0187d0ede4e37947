import type { Kept } from "./keeper.ts";
import type { Connection } from "./patience.ts";

/**
 * - `waiting`: in line; `sending`; `paused`; `checking`: all sent, the server looks at it; `done`: on the post; `failed`;
 * - `missing`: begun before this page was loaded, and the browser does not have the file: it has to be chosen again.
 */
export type Status = "waiting" | "sending" | "paused" | "checking" | "done" | "failed" | "missing";

export interface Item {
  readonly key: string;
  name: string;
  size: number;
  type: string;
  status: Status;
  sent: number;
  /** Bytes a second, and seconds to go; undefined while nobody can tell. */
  speed: number | undefined;
  secondsLeft: number | undefined;
  error: Failure | undefined;
  altText: string;
  thumbnailUrl: string | undefined;
  file: File | undefined;
  /** The browser kept the file; one word of the person and it goes on. */
  kept: Kept | undefined;
}

export interface Failure {
  message: string;
  hint: string;
  /** The same file would fail again. */
  final: boolean;
}

export interface Overall {
  files: number;
  done: number;
  sent: number;
  size: number;
  speed: number | undefined;
  secondsLeft: number | undefined;
  connection: Connection;
  /** What the server said, where it is not the network that stands in the way. */
  reason: string | undefined;
  /** Whether anything moves, could move, or waits for the person. */
  state: "empty" | "sending" | "paused" | "stuck" | "done";
}

/** What is to be said of all files together. */
export function stateOf(now: { empty: boolean; sending: boolean; open: boolean; stuck: boolean }): Overall["state"] {
  if (now.empty) return "empty";
  if (now.sending) return "sending";
  if (now.open) return "paused";
  return now.stuck ? "stuck" : "done";
}
