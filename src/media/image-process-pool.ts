import { fork, type ChildProcess } from "node:child_process";
import { setPriority } from "node:os";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { ByteSource } from "#domain/ports/byte-source.ts";
import type { ExecutablePlan, ImageRequest, RenderedImage } from "#domain/ports/media.ts";
import type { ImageInspection, ImageProblem } from "#domain/model/renditions/plan-rendition.ts";
import { createFairQueue } from "./fair-queue.ts";
import { readBytes } from "./read-bytes.ts";

/** What to do with a file. The file itself is sent apart. */
export type ImageTask = { kind: "inspect" } | { kind: "thumbnail" } | { kind: "render"; plan: ExecutablePlan };

export type ImageTaskResult = ImageInspection | RenderedImage | { problem: ImageProblem | "too_large" };

/** The message that starts a task. A file of this many bytes follows on standard input. */
export interface ImageTaskMessage {
  task: ImageTask;
  bytes: number;
}

/** The message that ends a task. If the result is a file, its bytes follow on standard output. */
export type ImageReply =
  | { result: Exclude<ImageTaskResult, RenderedImage> }
  | (Omit<RenderedImage, "content"> & { contentBytes: number });

export interface ImageProcessLimits {
  /** Each process uses one core and memory for the pixels of one image. */
  maxProcesses: number;
  /** The most CPU time for one image. It limits hostile images, however busy the machine is. */
  maxCpuMs: number;
  /** The most time for one image, in case its process does not run at all. */
  timeoutMs: number;
  maxMegabytes: number;
  /** How long a process without work is kept. */
  idleMs: number;
  /** How many images of one studio may wait, apart from those of publications. */
  maxWaitingPerStudio: number;
}

export const defaultLimits: ImageProcessLimits = {
  maxProcesses: 3,
  maxCpuMs: 30_000,
  timeoutMs: 120_000,
  maxMegabytes: 1024,
  idleMs: 30_000,
  maxWaitingPerStudio: 200,
};

interface ImageProcessPool {
  /** Resolves to undefined if the task was dropped. `value` is undefined if it took too long or needed too much memory. */
  run(
    requests: readonly ImageRequest[],
    task: ImageTask,
    source: ByteSource,
  ): Promise<{ value: ImageTaskResult | undefined } | undefined>;
  /** Ends all processes, and drops all tasks. */
  close(): void;
}

/** Runs one task per child process at a time. A child starts when needed, and ends when idle or with the server. */
export function createImageProcessPool(limits: ImageProcessLimits): ImageProcessPool {
  const enqueue = createFairQueue(limits.maxProcesses, limits.maxWaitingPerStudio);
  const processes = new Set<ImageProcess>();
  /** With the timer that ends each. */
  const idleProcesses: { child: ImageProcess; timer: NodeJS.Timeout }[] = [];
  let isClosed = false;

  function keepIdle(child: ImageProcess): void {
    setRef(child, false);
    // The process stays in the list until `takeProcess` skips it.
    const timer = setTimeout(() => child.kill("SIGKILL"), limits.idleMs).unref();
    idleProcesses.push({ child, timer });
  }

  function takeProcess(): ImageProcess {
    for (let idle = idleProcesses.pop(); idle; idle = idleProcesses.pop()) {
      const { child, timer } = idle;
      clearTimeout(timer);
      if (child.connected && !child.killed && child.exitCode === null && child.signalCode === null) {
        setRef(child, true);
        return child;
      }
    }
    const child = startProcess(limits);
    processes.add(child);
    for (const event of ["exit", "error"]) child.once(event, () => processes.delete(child));
    return child;
  }

  async function runInProcess(task: ImageTask, source: ByteSource): Promise<ImageTaskResult | undefined> {
    if (isClosed) return undefined;
    const child = takeProcess();
    let result: ImageTaskResult | undefined;
    try {
      result = await runTask(child, task, source, limits.timeoutMs);
      return result;
    } finally {
      if (result) keepIdle(child);
      else child.kill("SIGKILL");
    }
  }

  return {
    async run(requests, task, source) {
      const result = await enqueue(requests, () => runInProcess(task, source));
      return isClosed ? undefined : result;
    },
    close() {
      isClosed = true;
      for (const child of processes) child.kill("SIGKILL");
    },
  };
}

const programPath = join(import.meta.dirname, "image-process.ts");

/** Has no streams if it could not be started. */
type ImageProcess = ChildProcess & { stdin: Socket | null; stdout: Socket | null };

function startProcess({ maxMegabytes, maxCpuMs }: ImageProcessLimits): ImageProcess {
  const child = fork(programPath, [String(maxMegabytes), String(maxCpuMs)], {
    serialization: "advanced",
    stdio: ["pipe", "pipe", "ignore", "ipc"],
    execArgv: [],
    // The process opens hostile files, so its environment has none of our secrets.
    env: {},
  }) as ImageProcess;
  child.on("error", () => child.kill("SIGKILL"));
  child.stdin?.on("error", () => {}); // the process has ended, which `runTask` notices
  try {
    // HTTP requests take precedence over images, which would wait for minutes on a busy machine with a lower priority.
    if (child.pid !== undefined) setPriority(child.pid, 5);
  } catch {
    // Some systems don't allow it. The process then has normal priority.
  }
  return child;
}

function setRef(child: ImageProcess, keepsServerRunning: boolean): void {
  for (const handle of [child, child.channel, child.stdin, child.stdout])
    if (keepsServerRunning) handle?.ref();
    else handle?.unref();
}

/** How much of a file is in the memory of this process at a time. */
const pieceBytes = 4 * 1024 * 1024;
/** More than any new file needs. A hostile image may control the process that states this number. */
const maxContentBytes = 256 * 1024 * 1024;

/** Kills the process if it takes too long. Rejects if the file can't be read. */
async function runTask(
  child: ImageProcess,
  task: ImageTask,
  source: ByteSource,
  timeoutMs: number,
): Promise<ImageTaskResult | undefined> {
  const { promise, resolve } = Promise.withResolvers<ImageReply | undefined>();
  const onMessage = (reply: unknown): void => resolve(reply as ImageReply);
  const onExit = (): void => resolve(undefined);
  child.on("message", onMessage).on("exit", onExit).on("error", onExit);
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  try {
    const message: ImageTaskMessage = { task, bytes: source.bytes };
    child.send(message, (error) => error && onExit());
    for (let at = 0; at < source.bytes; at += pieceBytes) {
      const piece = await source.read(at, at + pieceBytes);
      timer.refresh(); // a slow store does not count
      if (!(await writePiece(child, piece))) break;
    }
    const reply = await promise;
    if (!reply || "result" in reply) return reply?.result;
    const { contentBytes, ...image } = reply;
    if (!child.stdout || contentBytes > maxContentBytes) return undefined;
    const content = await readBytes(child.stdout, contentBytes);
    return content && { ...image, content };
  } finally {
    clearTimeout(timer);
    child.off("message", onMessage).off("exit", onExit).off("error", onExit);
  }
}

/** Resolves when the process has read almost all of the piece; to false if it has ended. */
const writePiece = ({ stdin }: ImageProcess, piece: Uint8Array): Promise<boolean> =>
  new Promise((resolve) => {
    if (stdin) stdin.write(piece, (error) => resolve(!error));
    else resolve(false);
  });
