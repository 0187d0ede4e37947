import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";

const jsonContentType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

export type JsonHeaderProblem = "content_type" | "content_encoding" | "too_large";

/** Returns a problem unless the headers declare unencoded JSON in UTF-8 of at most `maxBytes`. */
export function findJsonHeaderProblem({ headers }: IncomingMessage, maxBytes: number): JsonHeaderProblem | undefined {
  const { "content-type": type = "", "content-encoding": encoding = "identity", "content-length": length } = headers;
  if (type !== "application/json" && !jsonContentType.test(type)) return "content_type";
  if (encoding.toLowerCase() !== "identity") return "content_encoding";
  return Number(length) > maxBytes ? "too_large" : undefined;
}

/**
 * Reads a body without trusting Content-Length. `findProblem` runs after each chunk; if it returns a problem, reading
 * stops and the problem is the result. The stream stays open, so that the client can read the response. Rejects if the
 * client disconnects before the end.
 */
export function readBody<Problem extends object>(
  req: IncomingMessage,
  findProblem: (receivedBytes: number, chunkBytes: number) => Problem | undefined,
): Promise<Buffer | Problem> {
  const completeBody = takeCompleteBody(req);
  if (completeBody) return Promise.resolve(findProblem(completeBody.length, completeBody.length) ?? completeBody);
  return new Promise((resolve, reject) => {
    const bytes = createByteCollector();
    let receivedBytes = 0;
    const finish = (result: Buffer | Problem): void => {
      removeListeners();
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      bytes.add(chunk);
      receivedBytes += chunk.length;
      const problem = findProblem(receivedBytes, chunk.length);
      if (problem) finish(problem);
    };
    const onEnd = (): void => finish(bytes.concat());
    const onAborted = (): void => {
      removeListeners(); // a disconnect can emit both `error` and `close`
      reject(new Error("the client disconnected before the end of the body"));
    };
    const removeListeners = (): void => {
      req
        .removeListener("data", onData)
        .removeListener("end", onEnd)
        .removeListener("close", onAborted)
        .removeListener("error", onAborted);
    };
    if (req.destroyed) return onAborted();
    req.on("data", onData).once("end", onEnd).once("close", onAborted).once("error", onAborted);
  });
}

/** Shorter chunks are copied together: a `Buffer` takes about 100 bytes of its own, and a chunk can be one byte long. */
const minChunkBytes = 1024;
const blockBytes = 16 * 1024;

function createByteCollector(): { add(chunk: Buffer): void; concat(): Buffer } {
  const chunks: Buffer[] = [];
  let block = Buffer.alloc(0);
  let [start, end] = [0, 0];
  const addBlock = (): void => {
    if (end > start) chunks.push(block.subarray(start, end));
    start = end;
  };
  return {
    add(chunk) {
      if (chunk.length >= minChunkBytes) {
        addBlock();
        chunks.push(chunk);
        return;
      }
      if (chunk.length > block.length - end) {
        addBlock();
        block = Buffer.allocUnsafeSlow(blockBytes);
        [start, end] = [0, 0];
      }
      end += chunk.copy(block, end);
    },
    concat() {
      addBlock();
      return Buffer.concat(chunks);
    },
  };
}

/** Returns the body if all of it has arrived and is buffered. This costs a third of reading it chunk by chunk. */
function takeCompleteBody(req: IncomingMessage): Buffer | undefined {
  return req.complete && !req.destroyed && req.readableFlowing === null
    ? ((req.read() as Buffer | null) ?? undefined)
    : undefined;
}

/** How long to read from a client that is still sending, so that the client can read the response. */
const lingerMs = 1000;

/**
 * Sends a complete response while the request body may still be arriving. Closing at once would reset the connection
 * and lose the response (RFC 9112 §9.6), so this discards incoming bytes for a moment first. The connection stays open
 * for the next request only if the whole body has arrived or is declared as at most `maxDiscardedBytes` long.
 */
export function sendEarlyResponse(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, text }: { status: number; headers: OutgoingHttpHeaders; text: string },
  maxDiscardedBytes = 0,
): void {
  const mustClose = countPendingBytes(req) > maxDiscardedBytes;
  res.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(text),
    ...(mustClose ? { connection: "close" } : {}),
  });
  if (!mustClose) return void res.end(text);
  res.write(text);
  const close = (): void => {
    clearTimeout(timer);
    res.end();
    req.destroy();
  };
  const timer = setTimeout(close, lingerMs);
  req.once("end", close).once("close", close).resume();
}

/** How many bytes may still arrive: none if the client waits for 100 Continue and did not get it. */
function countPendingBytes(req: IncomingMessage): number {
  if (req.complete || (req.headers.expect !== undefined && !req.readableDidRead)) return 0;
  return Number(req.headers["content-length"] ?? (req.headers["transfer-encoding"] === undefined ? 0 : Infinity));
}
