import type { IncomingMessage, ServerResponse } from "node:http";
import { createChunkLimit } from "#lib/chunk-limit.ts";

/**
 * Calls `reject`, which must respond, and discards the body when its chunks are too short for its size (RFC 9112 §7.1).
 * A response before the end of a chunked body closes the connection, because Node would parse the rest without limit.
 */
export function limitShortChunks(req: IncomingMessage, res: ServerResponse, reject: () => void): void {
  if (req.headers["transfer-encoding"] === undefined) return;
  const { shouldKeepAlive } = res;
  res.shouldKeepAlive = false;
  const push = req.push.bind(req);
  const isLongEnough = createChunkLimit();
  let isRejected = false;
  req.push = (chunk: Buffer | null, encoding) => {
    if (isRejected) return false;
    if (chunk === null) {
      res.shouldKeepAlive = shouldKeepAlive;
      return push(null, encoding);
    }
    if (isLongEnough(chunk.length)) return push(chunk, encoding);
    isRejected = true;
    req.socket.pause();
    res.once("finish", () => req.destroy());
    reject();
    return false;
  };
}

/**
 * Leaves the rest of a body in the socket while its request waits for earlier ones. Otherwise chunks of one byte, which
 * take 300 bytes of memory each, would stay as long as an event stream that the client requested before.
 */
export function stopReadingWhile(isWaiting: () => boolean, req: IncomingMessage): void {
  const push = req.push.bind(req);
  // Node stops reading from the socket when this returns false, and continues when the body is read.
  req.push = (chunk, encoding) => push(chunk, encoding) && !isWaiting();
}
