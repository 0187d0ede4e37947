import type { IncomingMessage, ServerResponse } from "node:http";
import type { MultipartFile } from "#domain/ports/file-store.ts";
import { edgeError, type AppError } from "#lib/errors.ts";
import { sendEarlyResponse } from "#lib/request-body.ts";
import type { FileClaims } from "./file-tokens.ts";
import { logError, toProblem } from "../problem.ts";
import type { RequestContext } from "../server.ts";

/** Stores the body of a PUT. Starts to read the body only after all other checks have passed. */
export interface FileReceiver {
  receive(
    key: string,
    body: AsyncIterable<Uint8Array>,
    options: { maxBytes: number; declaredBytes?: number | undefined },
  ): Promise<{ version: string }>;
  parts: {
    receive(
      file: MultipartFile,
      part: number,
      body: AsyncIterable<Uint8Array>,
      declaredBytes: number | undefined,
    ): Promise<void>;
  };
  remove(key: string): Promise<void>;
}

/** Returns whether the asset of a key exists and is not in the trash. */
export type HasAsset = (key: string) => Promise<boolean>;

/** A client that sends less than this per `stallTimeoutMs` is disconnected. */
const minProgressBytes = 16 * 1024;

/** Handles one PUT of raw bytes. Ignores Content-Type: the type is checked after the upload, from the bytes. */
export async function receiveFile(
  req: IncomingMessage,
  res: ServerResponse,
  store: FileReceiver,
  claims: Extract<FileClaims, { op: "put" | "part" }>,
  { hasAsset, stallTimeoutMs }: { hasAsset: HasAsset; stallTimeoutMs: number },
): Promise<void> {
  // RFC 9110 §14.5: never store a partial body as the whole file.
  if (req.headers["content-range"] !== undefined) throw edgeError("invalid_input", "Send the whole file in one PUT.");
  if (!(await hasAsset(claims.op === "part" ? claims.file.key : claims.key))) throw assetGoneError(claims.op);
  const length = req.headers["content-length"];
  const declaredBytes = length === undefined ? undefined : Number(length);
  using _ = startStallTimer(req, stallTimeoutMs);
  const body = toBodyIterable(req, res);
  const etag: Record<string, string> = {};
  if (claims.op === "part") await store.parts.receive(claims.file, claims.part, body, declaredBytes);
  else {
    const { version } = await store.receive(claims.key, body, { maxBytes: claims.maxBytes, declaredBytes });
    if (!(await hasAsset(claims.key))) {
      // The asset was rejected or deleted during the upload.
      await store.remove(claims.key);
      throw assetGoneError(claims.op);
    }
    etag["etag"] = `"${version}"`;
  }
  res.writeHead(200, { ...etag, "content-length": "0", "cache-control": "no-store" }).end();
}

/** 410: the URL is authentic but no longer usable. */
const assetGoneError = (op: "put" | "part"): AppError =>
  edgeError(
    "upload_expired",
    "This upload was canceled, or its file was rejected.",
    op === "put" ? "Request a new upload URL." : "Upload the file again.",
  );

/** Iterates over the body without destroying it on early exit: the response needs the same connection. */
function toBodyIterable(req: IncomingMessage, res: ServerResponse): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      // RFC 9110 §10.1.1: send 100 Continue only after all checks have passed.
      if (req.headers.expect !== undefined) res.writeContinue();
      return req.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
    },
  };
}

function startStallTimer(req: IncomingMessage, stallTimeoutMs: number): NodeJS.Timeout {
  let previousBytes = req.socket.bytesRead;
  const stallTimer = setInterval(() => {
    const currentBytes = req.socket.bytesRead;
    if (!req.complete && currentBytes - previousBytes < minProgressBytes)
      req.destroy(new Error("the client stopped sending"));
    previousBytes = currentBytes;
  }, stallTimeoutMs);
  return stallTimer.unref();
}

/** The codes of errors that occur when a client disconnects during a download. */
const disconnectCodes = ["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"];

/** Sends an error response, even while the body is still arriving. */
export function respondWithProblem(
  req: IncomingMessage,
  res: ServerResponse,
  error: unknown,
  context: RequestContext,
): void {
  if (res.headersSent || res.destroyed || req.socket.destroyed) {
    // The client has disconnected or the response has started; only closing the connection can signal the error.
    const { code = "" } = error as NodeJS.ErrnoException;
    if (res.headersSent && !disconnectCodes.includes(code)) logError(error, context);
    res.destroy();
    return;
  }
  const { status, headers, body } = toProblem(error, context.requestId, context.log);
  sendEarlyResponse(req, res, { status, headers, text: JSON.stringify(body) });
}
