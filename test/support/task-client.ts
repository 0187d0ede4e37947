import assert from "node:assert/strict";
import { callModern, type McpCaller, type McpResponse } from "./mcp.ts";
import { waitUntil } from "./wait-until.ts";

export const tasksMeta = {
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

/** A result of the tasks extension, typed as if every field were present. */
export interface TaskResult {
  resultType: string;
  taskId: string;
  status: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number;
  pollIntervalMs: number;
  statusMessage: string;
  result: { resultType: string; structuredContent: Record<string, unknown>; isError?: boolean };
  error: { code: number; message: string };
  structuredContent: Record<string, unknown>;
}

/** Sends a request as a client that supports the tasks extension. */
export const requestTask = (caller: McpCaller, method: string, params: Record<string, unknown>): Promise<McpResponse> =>
  callModern(caller, method, { ...params, _meta: tasksMeta });

export const toTask = ({ json }: McpResponse): TaskResult => json.result as unknown as TaskResult;

/** Calls a tool and returns its result, which is a task if the server runs the call as one. */
export const callAsTask = async (caller: McpCaller, name: string, args: Record<string, unknown>): Promise<TaskResult> =>
  toTask(await requestTask(caller, "tools/call", { name, arguments: args }));

export const getTask = async (caller: McpCaller, taskId: string): Promise<TaskResult> =>
  toTask(await requestTask(caller, "tasks/get", { taskId }));

/** Polls until the task has ended. */
export async function waitForTask(caller: McpCaller, taskId: string): Promise<TaskResult> {
  let task: TaskResult | undefined;
  await waitUntil(
    async () => {
      task = await getTask(caller, taskId);
      return task.status !== "working";
    },
    { description: "the task has ended", intervalMs: 50 },
  );
  assert.ok(task);
  return task;
}
