import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

/** Sends requests from a thread of its own, so that the measured event loop does none of the client's work. */

interface Call {
  id: number;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

interface Reply {
  id: number;
  status: number;
  text: string;
  ms: number;
}

/** Resolves to the response, and the time that it took. */
export type SendFromThread = (call: Omit<Call, "id">) => Promise<Omit<Reply, "id">>;

export async function startHttpClient(): Promise<{ send: SendFromThread; close(): Promise<void> }> {
  const worker = new Worker(fileURLToPath(import.meta.url));
  await once(worker, "online");
  const waiting = new Map<number, (reply: Reply) => void>();
  let lastId = 0;
  worker.on("message", (reply: Reply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  return {
    send: (call) =>
      new Promise((resolve) => {
        const id = ++lastId;
        waiting.set(id, resolve);
        worker.postMessage({ ...call, id }, []);
      }),
    close: async () => void (await worker.terminate()),
  };
}

async function run({ id, url, method, headers, body }: Call): Promise<Reply> {
  const startedAt = performance.now();
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  return { id, status: response.status, text, ms: performance.now() - startedAt };
}

if (!isMainThread)
  parentPort?.on("message", (call: Call) => void run(call).then((reply) => parentPort?.postMessage(reply, [])));
