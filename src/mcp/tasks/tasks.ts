import { ProtocolError } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { text } from "#domain/model/text.ts";
import { seconds, toIsoTime } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";
import type { Tool } from "../define-tool.ts";
import { errorCodes } from "../protocol/messages.ts";
import type { Exchange, Method, Result } from "../protocol/method.ts";
import { respond } from "../protocol/responder.ts";
import { toSuccessResult } from "../tool-results.ts";
import { createTaskRunner, toResultObject, type StartedTask, type TaskRunner, type TaskWork } from "./task-runner.ts";
import { createTaskStore, taskLifetime, type TaskRecord } from "./task-store.ts";
import { requireTasks } from "./tasks-extension.ts";

const pollIntervalMs = seconds(2);

export interface Tasks extends Pick<TaskRunner, "drain" | "stopAll"> {
  /** Runs a call as a task and returns the result that announces it. During shutdown, returns the call's own result. */
  start(exchange: Exchange, tool: string, work: TaskWork): Promise<Result>;
  /** Returns the call's own result if what it started has ended; otherwise, announces a task that follows it. */
  follow(caller: Caller, tool: Tool, output: Record<string, unknown>): Promise<Result>;
  methods: readonly [string, Method][];
}

const taskIdInput = z.object({ taskId: text(100) });
const updateTaskInput = taskIdInput.extend({ inputResponses: z.record(z.string(), z.unknown()) });

/** The tasks extension (SEP-2663): calls that take long return at once, and clients poll for their result. */
export function createTasks(deps: Deps, tools: readonly Tool[], log: Log): Tasks {
  const store = createTaskStore(deps);
  const runner = createTaskRunner(deps, store, log);

  return {
    async start(exchange, tool, work) {
      // The shutdown may interrupt the call. A client that waits for the response notices that at once.
      if (runner.isDraining) return work(exchange.getSignal());
      return toTaskResult(await runner.start(exchange.caller, tool, work));
    },
    async follow(caller, tool, output) {
      const progress = await tool.followUp?.getProgress(deps, caller, output);
      if (!progress || progress.hasEnded) return toSuccessResult(progress?.output ?? output, []);
      const taskId = deps.newSecret();
      const record = await store.create(caller, taskId, { tool: tool.name, followedOutput: output });
      return toTaskResult({ taskId, record });
    },
    methods: [
      ["tasks/get", { era: "modern", handle: (exchange) => respondToTask(exchange, taskIdInput, getTask) }],
      ["tasks/update", { era: "modern", handle: (exchange) => respondToTask(exchange, updateTaskInput, updateTask) }],
      [
        "tasks/cancel",
        {
          era: "modern",
          getRequiredScope: () => "studio:write",
          handle: (exchange) => respondToTask(exchange, taskIdInput, cancelTask),
        },
      ],
    ],
    drain: runner.drain,
    stopAll: runner.stopAll,
  };

  async function respondToTask<Input>(
    exchange: Exchange,
    schema: z.ZodType<Input>,
    run: (caller: Caller, input: Input) => Promise<Record<string, unknown>>,
  ): Promise<Result> {
    requireTasks(exchange);
    return respond(exchange, schema, (input) => run(exchange.caller, input));
  }

  async function getTask(caller: Caller, { taskId }: z.infer<typeof taskIdInput>): Promise<Record<string, unknown>> {
    const record = await refreshRecord(caller, taskId, await findRecord(caller, taskId));
    const { result, error } = record;
    return {
      ...toTask({ taskId, record }),
      ...(result === undefined ? {} : { result: { resultType: "complete", ...result } }),
      ...(error === undefined ? {} : { error, statusMessage: error.message }),
    };
  }

  /** No call waits for input, so the responses are ignored. */
  async function updateTask(
    caller: Caller,
    { taskId }: z.infer<typeof updateTaskInput>,
  ): Promise<Record<string, unknown>> {
    await findRecord(caller, taskId);
    return {};
  }

  async function cancelTask(caller: Caller, { taskId }: z.infer<typeof taskIdInput>): Promise<Record<string, unknown>> {
    const record = await findRecord(caller, taskId);
    if (record.status !== "working") return {};
    if (record.followedOutput) {
      await findTool(record.tool)?.followUp?.cancel(deps, caller, record.followedOutput);
      return {};
    }
    // Retries if a heartbeat has changed the record. If the call has ended, the task is not canceled.
    for (let current = record; current.status === "working"; current = await findRecord(caller, taskId)) {
      const canceledRecord: TaskRecord = { ...current, status: "cancelled", updatedAt: deps.clock() };
      if (await store.replace(caller, taskId, current, canceledRecord)) break;
    }
    runner.stop(taskId);
    return {};
  }

  async function findRecord(caller: Caller, taskId: string): Promise<TaskRecord> {
    const record = await store.find(caller, taskId);
    if (!record) throw new ProtocolError(errorCodes.invalidParams, "Task not found. It may have expired.");
    return record;
  }

  /** Ends the task if what it follows has ended, or if the process that ran its call has stopped. */
  async function refreshRecord(caller: Caller, taskId: string, record: TaskRecord): Promise<TaskRecord> {
    const newRecord = record.followedOutput ? await completeIfEnded(caller, record) : runner.failIfLost(record);
    if (newRecord === record) return record;
    const endedRecord = { ...newRecord, updatedAt: deps.clock() };
    return (await store.replace(caller, taskId, record, endedRecord)) ? endedRecord : findRecord(caller, taskId);
  }

  /** Returns the record as completed if what it follows has ended; otherwise unchanged. */
  async function completeIfEnded(caller: Caller, record: TaskRecord): Promise<TaskRecord> {
    const { followUp } = findTool(record.tool) ?? {};
    if (record.status !== "working" || !record.followedOutput || !followUp) return record;
    const { hasEnded, output } = await followUp.getProgress(deps, caller, record.followedOutput);
    if (!hasEnded) return record;
    return { ...record, status: "completed", result: toResultObject(toSuccessResult(output, [])) };
  }

  function findTool(name: string): Tool | undefined {
    return tools.find((tool) => tool.name === name);
  }
}

const toTaskResult = (task: StartedTask): Result => ({ resultType: "task", ...toTask(task) });

function toTask({ taskId, record: { status, createdAt, updatedAt } }: StartedTask): Record<string, unknown> {
  return {
    taskId,
    status,
    createdAt: toIsoTime(createdAt),
    lastUpdatedAt: toIsoTime(updatedAt),
    ttlMs: taskLifetime,
    pollIntervalMs,
  };
}
