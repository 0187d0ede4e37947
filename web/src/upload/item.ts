import { RequestError } from "./client.ts";
import type { Kept } from "./keeper.ts";
import { createPace, type Pace } from "./pace.ts";
import type { Connection, Patience } from "./patience.ts";

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
  failed: number;
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

export interface Chosen {
  file: File;
  handle?: FileSystemFileHandle | undefined;
}

/** A file of the list, and what only the uploader knows of it. */
export interface Work extends Item {
  token: string | undefined;
  id: string | undefined;
  control: AbortController | undefined;
  pace: Pace;
}

export function newWork(key: string, given: Pick<Work, "name" | "size" | "type"> & Partial<Work>): Work {
  return {
    key,
    status: "waiting",
    sent: 0,
    speed: undefined,
    secondsLeft: undefined,
    error: undefined,
    altText: "",
    thumbnailUrl: undefined,
    file: undefined,
    kept: undefined,
    token: undefined,
    id: undefined,
    control: undefined,
    pace: createPace(),
    ...given,
  };
}

export function overallOf(works: readonly Work[], pace: Pace, patience: Patience): Overall {
  const open = works.filter(({ status }) => !["done", "failed", "missing"].includes(status));
  const connection = patience.connection();
  const speed = pace.speed(performance.now());
  const moving = connection === "good" && speed > 0 && open.some(({ status }) => status === "sending");
  const left = open.reduce((bytes, { size, sent }) => bytes + size - sent, 0);
  return {
    files: works.length,
    done: works.filter(({ status }) => status === "done").length,
    failed: works.filter(({ status }) => status === "failed").length,
    sent: works.reduce((bytes, { sent }) => bytes + sent, 0),
    size: works.reduce((bytes, { size }) => bytes + size, 0),
    speed: moving ? speed : undefined,
    secondsLeft: moving ? left / speed : undefined,
    connection,
    reason: patience.reason(),
    state: stateOf(works, open),
  };
}

function stateOf(works: readonly Work[], open: readonly Work[]): Overall["state"] {
  if (works.length === 0) return "empty";
  if (open.some(({ status }) => status !== "paused")) return "sending";
  if (open.length > 0) return "paused";
  return works.every(({ status }) => status === "done") ? "done" : "stuck";
}

/** The same file again; of one that was begun before this page was loaded, only name and size are known. */
export function isSame(work: Work, file: File): boolean {
  if (work.size !== file.size) return false;
  if (!work.file) return work.status === "missing" && work.name === file.name;
  return work.file.name === file.name && work.file.lastModified === file.lastModified;
}

export function explain(error: unknown): Failure {
  if (error instanceof RequestError) {
    return { message: error.message, hint: error.hint, final: [400, 410, 413, 415].includes(error.status) };
  }
  if (error instanceof DOMException) {
    return {
      message: "The file cannot be read any more.",
      hint: "It was changed, moved or deleted. Choose it again.",
      final: true,
    };
  }
  return {
    message: "This page ran into a fault of its own.",
    hint: "Load the page again; what was sent stays.",
    final: false,
  };
}
