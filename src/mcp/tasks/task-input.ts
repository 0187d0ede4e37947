import type { TaskContext } from "../protocol/method.ts";

/**
 * Requests of a running call to its client. They are in the memory of the process that runs the call, so they fail if
 * there are several processes. The product's own tools therefore send no such requests.
 */
export interface TaskInput {
  request: TaskContext["requestInput"];
  /** The requests that wait for a response, by key. */
  listRequests(): Record<string, object>;
  /** Ignores keys that no request is waiting for. */
  deliver(responses: Readonly<Record<string, unknown>>): void;
}

export function createTaskInput(signal: AbortSignal): TaskInput {
  const pendingRequests = new Map<string, { request: object; resolve: (response: unknown) => void }>();
  return {
    request: async (requests) => {
      signal.throwIfAborted();
      const responses = Object.entries(requests).map(async ([key, request]): Promise<[string, unknown]> => {
        const response = await new Promise<unknown>((resolve, reject) => {
          pendingRequests.set(key, { request, resolve });
          signal.addEventListener("abort", () => reject(new Error("canceled")), { once: true });
        });
        return [key, response];
      });
      return Object.fromEntries(await Promise.all(responses));
    },
    listRequests: () => Object.fromEntries([...pendingRequests].map(([key, { request }]) => [key, request])),
    deliver(responses) {
      for (const [key, response] of Object.entries(responses)) {
        pendingRequests.get(key)?.resolve(response);
        pendingRequests.delete(key);
      }
    },
  };
}
