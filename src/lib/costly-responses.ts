import type { ClientRequest, IncomingMessage } from "node:http";
import { createChunkLimit } from "./chunk-limit.ts";
import { PublicFetchError } from "./pick-addresses.ts";

/** Servers send few before a response, such as 103 Early Hints, or 102 Processing every few seconds. */
const maxInterimResponses = 100;

/**
 * Aborts a request whose response takes much CPU per byte: endless interim responses (RFC 9110 §15.2), which count
 * toward no limit of size, or a body in very short chunks (RFC 9112 §7.1) or TLS records (RFC 8446 §5.1).
 */
export function abortCostlyResponse(outgoing: ClientRequest): void {
  let interimResponses = 0;
  outgoing.on("information", () => {
    if (++interimResponses > maxInterimResponses) outgoing.destroy(costlyResponseError());
  });
  outgoing.once("response", abortShortPieces);
}

/** Node passes on each chunk and each record on its own. TCP joins what arrives together, so plain HTTP has few. */
function abortShortPieces(message: IncomingMessage): void {
  const isLongEnough = createChunkLimit();
  const push = message.push.bind(message);
  message.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null || isLongEnough(chunk.length)) return push(chunk, encoding);
    // The parser still passes on the other chunks that have arrived.
    if (!message.destroyed) message.destroy(costlyResponseError());
    return false;
  };
}

const costlyResponseError = (): PublicFetchError =>
  new PublicFetchError("the response consists of too many short pieces", false);
