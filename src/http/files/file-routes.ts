import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "#lib/clock.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { serveFile, type FileReader } from "./file-get.ts";
import { receiveFile, refuse, type FileReceiver, type HasAsset } from "./file-put.ts";
import type { FileTokens } from "./file-tokens.ts";
import type { Route } from "../server.ts";

export interface FileRouteParts {
  store: FileReader & FileReceiver;
  tokens: FileTokens;
  hasAsset: HasAsset;
  /** Origins of the pages that upload: the web app's and the upload page's. */
  origins: readonly string[];
  clock: Clock;
  /** A sender or reader that moves next to nothing for this long is let go. */
  stallMs?: number;
}

const path = "/files/";
const stallMs = 30_000;

/** `{base}/files/<token>`: the signed addresses of the disk store. */
export function fileRoutes(parts: FileRouteParts): Route[] {
  const patienceMs = parts.stallMs ?? stallMs;
  const route: Route = {
    path: `${path}*`,
    origin: "any", // no cookie counts here; whoever has the address may use it
    longBody: true,
    saysContinue: true,
    async handle(req, res, context) {
      try {
        allowOrigin(req, res, parts.origins);
        if (req.method === "OPTIONS") return answerPreflight(res);
        const claims = parts.tokens.verify((req.url ?? "").slice(path.length));
        const wanted = req.method === "PUT" ? ["put", "part"] : ["get"];
        if (!["PUT", "GET", "HEAD"].includes(req.method ?? "") || !claims || !wanted.includes(claims.op))
          throw notValid();
        if (claims.op !== "get")
          await receiveFile(req, res, parts.store, claims, { hasAsset: parts.hasAsset, patienceMs });
        else await serveFile(req, res, parts.store, claims, { clock: parts.clock, patienceMs });
      } catch (error) {
        await refuse(req, res, error, context);
      }
    },
  };
  return [route];
}

/** One answer for forged, cut short, expired and made for something else. */
const notValid = (): AppError =>
  edgeError("forbidden", "This address is not valid, or no longer.", "Ask for a new one.");

/** A page reads the answer only where it was told that it may; the bytes are guarded by the token. */
function allowOrigin(req: IncomingMessage, res: ServerResponse, origins: readonly string[]): void {
  const { origin } = req.headers;
  res.setHeader("vary", "origin");
  if (origin === undefined || !origins.includes(origin)) return;
  res.setHeader("access-control-allow-origin", origin);
  res.setHeader("access-control-expose-headers", "etag, content-range, retry-after");
}

function answerPreflight(res: ServerResponse): void {
  if (!res.hasHeader("access-control-allow-origin"))
    throw edgeError("forbidden", "Pages of that origin may not call this address.");
  res
    .writeHead(204, {
      "access-control-allow-methods": "GET, HEAD, PUT",
      "access-control-allow-headers": "content-type, if-none-match, if-range, range",
      "access-control-max-age": "600",
    })
    .end();
}
