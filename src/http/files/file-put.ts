import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { MultipartFile } from "#domain/assets/model/file-store.ts";
import { edgeError, type AppError } from "#lib/errors.ts";
import type { FileClaims } from "./file-tokens.ts";
import { toProblem } from "../problem.ts";
import type { RequestContext } from "../server.ts";

/** Takes the bytes of a PUT. It reads none before everything else was found good. */
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

/** Whether the asset that a key was made for still exists. */
export type HasAsset = (key: string) => Promise<boolean>;

/** Less than this in one stretch of patience is no upload but a hold on a connection and a file. */
const minProgressBytes = 16 * 1024;
/** How long a refused sender is listened to, so that it gets to read the refusal. */
const lingerMs = 1000;

/** One plain PUT of raw bytes. The type that the sender names is not looked at: it is read from the bytes at attach. */
export async function receiveFile(
  req: IncomingMessage,
  res: ServerResponse,
  store: FileReceiver,
  claims: Extract<FileClaims, { op: "put" | "part" }>,
  { hasAsset, patienceMs: stallTimeoutMs }: { hasAsset: HasAsset; patienceMs: number },
): Promise<void> {
  // RFC 9110 §14.5: storing a part as if it were the whole is the one wrong answer.
  if (req.headers["content-range"] !== undefined) throw edgeError("invalid_input", "Send the whole file in one PUT.");
  if (!(await hasAsset(claims.op === "part" ? claims.file.key : claims.key))) throw assetGone(claims.op);
  const length = req.headers["content-length"];
  const declaredBytes = length === undefined ? undefined : Number(length);
  const stallTimer = startStallTimer(req, stallTimeoutMs);
  try {
    const body = toBodyIterable(req, res);
    const etag: Record<string, string> = {};
    if (claims.op === "part") await store.parts.receive(claims.file, claims.part, body, declaredBytes);
    else {
      const { version } = await store.receive(claims.key, body, { maxBytes: claims.maxBytes, declaredBytes });
      if (!(await hasAsset(claims.key))) {
        // Rejected or deleted while the bytes came in.
        await store.remove(claims.key);
        throw assetGone(claims.op);
      }
      etag["etag"] = `"${version}"`;
    }
    res.writeHead(200, { ...etag, "content-length": "0", "cache-control": "no-store" }).end();
  } finally {
    clearInterval(stallTimer);
  }
}

/** 410: the URL is genuine, and no longer of use. */
const assetGone = (op: "put" | "part"): AppError =>
  edgeError(
    "upload_expired",
    "This upload was canceled, or its file was rejected.",
    op === "put" ? "Call request_asset_upload again for a new URL." : "Send the file again.",
  );

/** The body, left alive when it is not read to its end: the answer still has to go out on the same connection. */
function toBodyIterable(req: IncomingMessage, res: ServerResponse): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      // Only now, after every check, is a sender that asked first told to go ahead.
      if (req.headers.expect !== undefined) res.writeContinue();
      return req.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
    },
  };
}

function startStallTimer(req: IncomingMessage, stallTimeoutMs: number): NodeJS.Timeout {
  let previousBytes = req.socket.bytesRead;
  const stallTimer = setInterval(() => {
    const currentBytes = req.socket.bytesRead;
    if (!req.complete && currentBytes - previousBytes < minProgressBytes) req.destroy(new Error("the sender stalled"));
    previousBytes = currentBytes;
  }, stallTimeoutMs);
  return stallTimer.unref();
}

/** Part of a body is still to come. A sender that asked first and was not told to go ahead sends none. */
function isStillSending(req: IncomingMessage): boolean {
  const hasBody = req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
  return hasBody && !req.complete && (req.headers.expect === undefined || req.readableDidRead);
}

/**
 * Says no, also in the middle of a body. Closing at once would reset the connection, and the sender would lose the
 * answer with it; so what it still sends is thrown away for a moment. Nothing more comes on this connection.
 */
export async function respondWithProblem(
  req: IncomingMessage,
  res: ServerResponse,
  error: unknown,
  context: RequestContext,
): Promise<void> {
  if (res.headersSent || res.destroyed || req.socket.destroyed) {
    // Its reader or sender is gone, or what went out is cut: then the connection is all that can tell.
    res.destroy();
    return;
  }
  const { status, headers, body } = toProblem(error, context.requestId, context.log);
  const text = JSON.stringify(body);
  const isBodyPending = isStillSending(req);
  res.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(text),
    ...(isBodyPending ? { connection: "close" } : {}),
  });
  if (!isBodyPending) {
    res.end(text);
    return;
  }
  res.write(text);
  req.on("error", () => {});
  req.resume();
  const lingerController = new AbortController();
  await Promise.race([
    once(req, "end", lingerController),
    once(req, "close", lingerController),
    sleep(lingerMs, undefined, lingerController),
  ]).catch(() => {});
  lingerController.abort();
  res.end();
}
