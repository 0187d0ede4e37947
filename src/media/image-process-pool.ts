import { fork, type ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  ExecutablePlan,
  ImageInspection,
  ImageProblem,
  ImageRequest,
  RenderedImage,
} from "#domain/renditions/ports.ts";
import { createFairQueue } from "./fair-queue.ts";

export type ImageTask =
  | { kind: "inspect"; file: Uint8Array }
  | { kind: "render"; file: Uint8Array; plan: ExecutablePlan };

export type ImageTaskResult = ImageInspection | RenderedImage | { problem: ImageProblem | "too_large" };

export interface ImageProcessLimits {
  /** Each process uses one core and memory for the pixels of one image. */
  maxProcesses: number;
  timeoutMs: number;
  maxMegabytes: number;
  /** How long a process without work is kept. */
  idleMs: number;
  /** How many images of one studio may wait, apart from those of publications. */
  maxWaitingPerStudio: number;
}

export const defaultLimits: ImageProcessLimits = {
  maxProcesses: 2,
  timeoutMs: 30_000,
  maxMegabytes: 1024,
  idleMs: 30_000,
  maxWaitingPerStudio: 50,
};

/** Resolves to undefined if the task was dropped. `value` is undefined if it took too long or needed too much memory. */
export type RunImageTask = (
  requests: readonly ImageRequest[],
  readTask: () => Promise<ImageTask>,
) => Promise<{ value: ImageTaskResult | undefined } | undefined>;

/** Runs one task per child process at a time. A child starts when needed, and ends when idle or with the server. */
export function createImageProcessPool(limits: ImageProcessLimits): RunImageTask {
  const enqueue = createFairQueue(limits.maxProcesses, limits.maxWaitingPerStudio);
  const idleProcesses: ChildProcess[] = [];
  const idleTimers = new WeakMap<ChildProcess, NodeJS.Timeout>();

  function keepIdle(child: ChildProcess): void {
    idleProcesses.push(child);
    setRef(child, false);
    const idleTimer = setTimeout(() => {
      const index = idleProcesses.indexOf(child);
      if (index >= 0) idleProcesses.splice(index, 1);
      child.kill("SIGKILL");
    }, limits.idleMs);
    idleTimer.unref();
    idleTimers.set(child, idleTimer);
  }

  function takeProcess(): ChildProcess {
    for (let child = idleProcesses.pop(); child; child = idleProcesses.pop()) {
      clearTimeout(idleTimers.get(child));
      if (child.connected && child.exitCode === null && child.signalCode === null) {
        setRef(child, true);
        return child;
      }
    }
    return startProcess(limits);
  }

  return (requests, readTask) =>
    enqueue(requests, async () => {
      const task = await readTask();
      const child = takeProcess();
      const result = await runTask(child, task, limits.timeoutMs);
      if (result) keepIdle(child);
      else child.kill("SIGKILL");
      return result;
    });
}

const programPath = join(import.meta.dirname, "image-process.ts");

function startProcess({ maxMegabytes }: ImageProcessLimits): ChildProcess {
  const child = fork(programPath, [String(maxMegabytes)], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    execArgv: [],
    // The process opens hostile files, so its environment has none of our secrets.
    env: {},
  });
  child.on("error", () => child.kill("SIGKILL"));
  try {
    // HTTP requests take precedence over images.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some systems don't allow it. The process then has normal priority.
  }
  return child;
}

function setRef(child: ChildProcess, keepsServerRunning: boolean): void {
  if (keepsServerRunning) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

async function runTask(child: ChildProcess, task: ImageTask, timeoutMs: number): Promise<ImageTaskResult | undefined> {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<ImageTaskResult | undefined>();
  const onMessage = (result: unknown): void => resolve(result as ImageTaskResult);
  const onExit = (): void => resolve(undefined);
  child.on("message", onMessage).on("exit", onExit).on("error", onExit);
  child.send(task, (error) => {
    if (error) resolve(undefined);
  });
  const timeout = sleep(timeoutMs, undefined, { signal: controller.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    controller.abort();
    child.off("message", onMessage).off("exit", onExit).off("error", onExit);
  }
}
