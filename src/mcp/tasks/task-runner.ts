import { ProtocolError } from "@modelcontextprotocol/server";
import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { seconds } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";
import { errorCodes } from "../protocol/messages.ts";
import type { Result, TaskContext, TaskWork } from "../protocol/method.ts";
import { createTaskInput, type TaskInput } from "./task-input.ts";
import type { TaskRecord, TaskStore } from "./task-store.ts";

/** How often the process that runs a call confirms that it still does, and notices a cancellation elsewhere. */
const heartbeatMs = seconds(5);
/** Without a heartbeat for this long, the process has stopped. */
const lostAfterMs = seconds(60);

/** Long enough to save that the calls failed. */
const stopTimeoutMs = seconds(3);

const lostError = {
  code: errorCodes.internal,
  message: "The server was restarted before the call finished. Call the tool again.",
};

export interface TaskRunner {
  /** Runs the call in this process, after its task is stored. */
  start(caller: Caller, tool: string, work: TaskWork): Promise<StartedTask>;
  /** Stops the call, if it runs in this process. */
  stop(taskId: string): void;
  /** What the call waits for; undefined if it does not run in this process. */
  getInput(taskId: string): TaskInput | undefined;
  /** Returns the record of a task whose process has stopped as failed. */
  withLostProcess(record: TaskRecord): TaskRecord;
  /** True after `close`: callers must not start more tasks. */
  readonly isClosing: boolean;
  /** Resolves when the running calls have ended and their outcomes are saved. */
  close(): Promise<void>;
  /** Stops the calls that still run, after `close`; their tasks fail. Resolves when this is saved. */
  stopAll(): Promise<void>;
}

export interface StartedTask {
  taskId: string;
  record: TaskRecord;
}

interface RunningTask {
  controller: AbortController;
  input: TaskInput;
  /** Resolves when the outcome is saved. */
  ended: Promise<void>;
}

export function createTaskRunner(
  { clock, newSecret, newId }: Pick<Deps, "clock" | "newSecret" | "newId">,
  store: TaskStore,
  log: Log,
): TaskRunner {
  const runningTasks = new Map<string, RunningTask>();
  let isClosing = false;
  const stopController = new AbortController();

  return {
    async start(caller, tool, work) {
      const taskId = newSecret();
      const now = clock();
      const record: TaskRecord = {
        grantId: caller.grantId ?? null,
        tool,
        status: "working",
        createdAt: now,
        updatedAt: now,
      };
      const controller = new AbortController();
      const input = createTaskInput(controller.signal);
      const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
      const removeTask = (): void => {
        runningTasks.delete(taskId);
        resolveEnded();
      };
      // Before the task is stored, so that a shutdown waits for it.
      runningTasks.set(taskId, { controller, input, ended });
      try {
        await store.create(caller, taskId, record);
      } catch (error) {
        removeTask();
        throw error;
      }
      const outcome = runWork(tool, work, { signal: controller.signal, requestInput: input.request });
      void saveOutcome(caller, taskId, record, outcome, controller).finally(removeTask);
      return { taskId, record };
    },
    stop: (taskId) => runningTasks.get(taskId)?.controller.abort(),
    getInput: (taskId) => runningTasks.get(taskId)?.input,
    withLostProcess(record) {
      const isLost =
        record.status === "working" && record.followedOutput === undefined && clock() - record.updatedAt > lostAfterMs;
      return isLost ? { ...record, status: "failed", error: lostError } : record;
    },
    get isClosing() {
      return isClosing;
    },
    close() {
      isClosing = true;
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
    await Promise.all([...runningTasks.values()].map(({ ended }) => ended));
  }

  /** The fields of the record that the call determines. Never rejects. */
  async function runWork(tool: string, work: TaskWork, context: TaskContext): Promise<Partial<TaskRecord>> {
    try {
      return { status: "completed", result: toResultObject(await work(context)) };
    } catch (error) {
      if (stopController.signal.aborted) return { status: "failed", error: lostError };
      if (error instanceof ProtocolError) {
        const { code, message, data } = error;
        return { status: "failed", error: { code, message, ...(data === undefined ? {} : { data }) } };
      }
      const reference = newId("request");
      if (!context.signal.aborted) log.error({ err: error, reference, tool }, "task failed");
      return {
        status: "failed",
        error: { code: errorCodes.internal, message: `Internal error. Reference: ${reference}.` },
      };
    }
  }

  /** Stores heartbeats, then the outcome. Stops the call if its task was canceled or failed meanwhile. */
  async function saveOutcome(
    caller: Caller,
    taskId: string,
    firstRecord: TaskRecord,
    outcome: Promise<Partial<TaskRecord>>,
    controller: AbortController,
  ): Promise<void> {
    let record = firstRecord;
    for (;;) {
      const timer = new AbortController();
      const pause = sleep(heartbeatMs, undefined, { ref: false, signal: timer.signal }).catch(() => undefined);
      const fields = await Promise.race([outcome, pause]);
      timer.abort();
      const next: TaskRecord = { ...record, ...fields, updatedAt: clock() };
      try {
        if (await store.replace(caller, taskId, record, next)) {
          if (fields) return;
          record = next;
          continue;
        }
        // The record differs if the task ended, or if it was replaced before and only the response was lost.
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

export const toResultObject = (result: Result): Record<string, unknown> =>
  typeof result === "string" ? (JSON.parse(`{${result}}`) as Record<string, unknown>) : result;
