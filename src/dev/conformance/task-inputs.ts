import { toRecord } from "#mcp/protocol/client-capabilities.ts";
import type { Exchange, Method, Result } from "#mcp/protocol/method.ts";
import type { Tasks } from "#mcp/tasks/tasks.ts";

/** Runs a call as a task. `requestInput` asks the client for input and resolves with its responses, by key. */
export type FixtureTaskWork = (context: {
  signal: AbortSignal;
  requestInput: (requests: Readonly<Record<string, object>>) => Promise<Record<string, unknown>>;
}) => Promise<Result>;

interface PendingInput {
  request: object;
  resolve: (response: unknown) => void;
}

export interface TaskInputs {
  start(exchange: Exchange, tool: string, work: FixtureTaskWork): Promise<Result>;
  /** Adds the requests that wait for a response to the result of `tasks/get`. */
  extendGet(method: Method): Method;
  /** Delivers the responses of `tasks/update`. Ignores keys that no request is waiting for. */
  extendUpdate(method: Method): Method;
}

/**
 * Requests of running tasks to their clients (SEP-2663). They are in the memory of the process that runs the call, so they
 * fail if there are several processes. The product's own tools therefore send no such requests.
 */
export function createTaskInputs(startTask: Tasks["start"]): TaskInputs {
  const inputsByTask = new Map<unknown, Map<string, PendingInput>>();

  return {
    async start(exchange, tool, work) {
      const inputs = new Map<string, PendingInput>();
      const result = await startTask(exchange, tool, (signal) =>
        work({ signal, requestInput: (requests) => requestInput(inputs, requests, signal) }),
      );
      if (typeof result === "object") inputsByTask.set(result["taskId"], inputs);
      return result;
    },
    extendGet: (method) => ({
      ...method,
      async handle(exchange) {
        const task = (await method.handle(exchange)) as Record<string, unknown>;
        const inputs = inputsByTask.get(task["taskId"]);
        if (task["status"] !== "working" || !inputs?.size) return task;
        const inputRequests = Object.fromEntries([...inputs].map(([key, { request }]) => [key, request]));
        return { ...task, status: "input_required", inputRequests };
      },
    }),
    extendUpdate: (method) => ({
      ...method,
      async handle(exchange) {
        const result = await method.handle(exchange);
        const inputs = inputsByTask.get(exchange.params["taskId"]);
        for (const [key, response] of Object.entries(toRecord(exchange.params["inputResponses"]))) {
          inputs?.get(key)?.resolve(response);
          inputs?.delete(key);
        }
        return result;
      },
    }),
  };
}

async function requestInput(
  inputs: Map<string, PendingInput>,
  requests: Readonly<Record<string, object>>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  signal.throwIfAborted();
  const responses = Object.entries(requests).map(async ([key, request]): Promise<[string, unknown]> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    inputs.set(key, { request, resolve });
    signal.addEventListener("abort", () => reject(new Error("canceled")), { once: true });
    return [key, await promise];
  });
  return Object.fromEntries(await Promise.all(responses));
}
