import { ProtocolError } from "@modelcontextprotocol/server";
import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { seconds } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";
import { errorCodes } from "../protocol/messages.ts";
import type { Result } from "../protocol/method.ts";
import type { TaskRecord, TaskStore } from "./task-store.ts";

/** How often the process that runs a call confirms that it still does, and notices a cancellation elsewhere. */
const heartbeatMs = seconds(5);
/** A process without a heartbeat for this long counts as stopped. */
const lostAfterMs = seconds(60);

/** Enough time to save that the calls failed. */
const stopTimeoutMs = seconds(3);

const lostError = {
  code: errorCodes.internal,
  message: "The server was restarted before the call finished. Call the tool again.",
};

/**
 * Runs a call as a task (SEP-2663), after the response; during shutdown, before the response. The signal aborts when the
 * task is canceled or this process stops.
 */
export type TaskWork = (signal: AbortSignal) => Promise<Result>;

export interface TaskRunner {
  /** Stores the task, then runs the call in this process. Resolves when the task is stored. */
  start(caller: Caller, tool: string, work: TaskWork): Promise<StartedTask>;
  /** Stops the call, if it runs in this process. */
  stop(taskId: string): void;
  /** Returns the record as failed if the process that ran the call has stopped; otherwise unchanged. */
  failIfLost(record: TaskRecord): TaskRecord;
  /** True after `drain`: callers must not start more tasks. */
  readonly isDraining: boolean;
  /** For shutdown. Resolves when the running calls have ended and their outcomes are saved. */
  drain(): Promise<void>;
  /** Stops the calls that still run, after `drain`; their tasks fail. Resolves when this is saved. */
  stopAll(): Promise<void>;
}

export interface StartedTask {
  taskId: string;
  record: TaskRecord;
}

interface RunningTask {
  controller: AbortController;
  /** Resolves when the outcome is saved. */
  completion: Promise<void>;
}

export function createTaskRunner(
  { clock, newSecret, newId }: Pick<Deps, "clock" | "newSecret" | "newId">,
  store: TaskStore,
  log: Log,
): TaskRunner {
  const runningTasks = new Map<string, RunningTask>();
  let isDraining = false;
  const stopController = new AbortController();

  return {
    async start(caller, tool, work) {
      const taskId = newSecret();
      const controller = new AbortController();
      const { promise: completion, resolve: resolveCompletion } = Promise.withResolvers<void>();
      const removeTask = (): void => {
        runningTasks.delete(taskId);
        resolveCompletion();
      };
      // Before the task is stored, so that a shutdown waits for it.
      runningTasks.set(taskId, { controller, completion });
      const record = await store.create(caller, taskId, { tool }).catch((error: unknown) => {
        removeTask();
        throw error;
      });
      const outcome = runWork(tool, work, controller.signal);
      void keepRecordUpdated(caller, taskId, record, outcome, controller).finally(removeTask);
      return { taskId, record };
    },
    stop: (taskId) => runningTasks.get(taskId)?.controller.abort(),
    failIfLost(record) {
      const isLost =
        record.status === "working" && record.followedOutput === undefined && clock() - record.updatedAt > lostAfterMs;
      return isLost ? { ...record, status: "failed", error: lostError } : record;
    },
    get isDraining() {
      return isDraining;
    },
    drain() {
      isDraining = true;
      return waitForRunningTasks();
    },
    async stopAll() {
      stopController.abort();
      for (const { controller } of runningTasks.values()) controller.abort();
      const timer = new AbortController();
      const timeout = sleep(stopTimeoutMs, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([waitForRunningTasks(), timeout]);
      timer.abort();
    },
  };

  async function waitForRunningTasks(): Promise<void> {
    await Promise.all([...runningTasks.values()].map(({ completion }) => completion));
  }

  /** Returns the fields of the record that the call determines. Never rejects. */
  async function runWork(tool: string, work: TaskWork, signal: AbortSignal): Promise<Partial<TaskRecord>> {
    try {
      return { status: "completed", result: toResultObject(await work(signal)) };
    } catch (error) {
      if (stopController.signal.aborted) return { status: "failed", error: lostError };
      if (error instanceof ProtocolError) {
        const { code, message, data } = error;
        return { status: "failed", error: { code, message, ...(data === undefined ? {} : { data }) } };
      }
      const reference = newId("request");
      if (!signal.aborted) log.error({ err: error, reference, tool }, "task failed");
      return {
        status: "failed",
        error: { code: errorCodes.internal, message: `Internal error. Reference: ${reference}.` },
      };
    }
  }

  /** Saves heartbeats while the call runs, then its outcome. Stops the call if its task ended meanwhile. */
  async function keepRecordUpdated(
    caller: Caller,
    taskId: string,
    firstRecord: TaskRecord,
    outcome: Promise<Partial<TaskRecord>>,
    controller: AbortController,
  ): Promise<void> {
    let record = firstRecord;
    for (;;) {
      const timer = new AbortController();
      const heartbeat = sleep(heartbeatMs, undefined, { ref: false, signal: timer.signal }).catch(() => undefined);
      const outcomeFields = await Promise.race([outcome, heartbeat]);
      timer.abort();
      const nextRecord: TaskRecord = { ...record, ...outcomeFields, updatedAt: clock() };
      try {
        if (await store.replace(caller, taskId, record, nextRecord)) {
          if (outcomeFields) return;
          record = nextRecord;
          continue;
        }
        // The task was canceled or failed, or an earlier replacement succeeded and only its response was lost.
        const storedRecord = await store.find(caller, taskId);
        if (storedRecord?.status !== "working") return controller.abort();
        record = storedRecord;
      } catch (error) {
        log.warn({ err: error }, "task not saved");
        if (stopController.signal.aborted) return;
        await sleep(heartbeatMs, undefined, { ref: false, signal: stopController.signal }).catch(() => undefined);
      }
    }
  }
}

/** Parses a result that was already serialized. */
export const toResultObject = (result: Result): Record<string, unknown> =>
  typeof result === "string" ? (JSON.parse(`{${result}}`) as Record<string, unknown>) : result;
