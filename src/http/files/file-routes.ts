import type { IncomingMessage, ServerResponse } from "node:http";
import { readThumbnail } from "#domain/assets/thumbnails.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { Clock } from "#lib/clock.ts";
import { edgeError, type AppError } from "#lib/errors.ts";
import { routeNotFoundError } from "../problem.ts";
import type { Route } from "../server.ts";
import { serveFile, type FileReader } from "./file-get.ts";
import { receiveFile, respondWithProblem, type FileReceiver, type HasAsset } from "./file-put.ts";
import type { FileTokens } from "./file-tokens.ts";

export interface FileRouteOptions {
  store: FileReader & FileReceiver;
  tokens: FileTokens;
  hasAsset: HasAsset;
  /** Origins of the pages that upload: the web app's and the upload page's. */
  origins: readonly string[];
  clock: Clock;
  stallTimeoutMs: number;
}

const pathPrefix = "/files/";

/** `{base}/files/<token>`: the signed URLs of the disk store. */
export function createFileRoutes(options: FileRouteOptions): Route[] {
  const { stallTimeoutMs } = options;
  const route: Route = {
    path: `${pathPrefix}*`,
    originRule: "any", // the token in the URL is the only credential
    allowsLongBody: true,
    sends100Continue: true,
    async handle(req, res, context) {
      try {
        const claims = options.tokens.verify((req.url ?? "").slice(pathPrefix.length));
        // The in-chat app sends parts from an origin that its host chooses.
        setCorsHeaders(req, res, claims?.op === "part" ? undefined : options.origins);
        if (req.method === "OPTIONS") return respondToPreflight(res);
        const allowedOps = req.method === "PUT" ? ["put", "part"] : ["get"];
        if (!["PUT", "GET", "HEAD"].includes(req.method ?? "") || !claims || !allowedOps.includes(claims.op))
          throw invalidUrlError();
        if (claims.op !== "get")
          await receiveFile(req, res, options.store, claims, {
            hasAsset: options.hasAsset,
            stallTimeoutMs,
          });
        else await serveFile(req, res, options.store, claims, { clock: options.clock, stallTimeoutMs });
      } catch (error) {
        respondWithProblem(req, res, error, context);
      }
    },
  };
  return [route];
}

/** The same error for forged, truncated, expired and misused tokens. */
const invalidUrlError = (): AppError =>
  edgeError("forbidden", "This link is invalid or has expired.", "Request a new one.");

/** Lets pages of these origins (all, if undefined) read the response. The token alone controls access to the bytes. */
function setCorsHeaders(req: IncomingMessage, res: ServerResponse, origins: readonly string[] | undefined): void {
  const { origin } = req.headers;
  res.setHeader("vary", "origin");
  if (origin === undefined || origins?.includes(origin) === false) return;
  res.setHeader("access-control-allow-origin", origin);
  res.setHeader("access-control-expose-headers", "etag, content-range, retry-after");
}

function respondToPreflight(res: ServerResponse): void {
  if (!res.hasHeader("access-control-allow-origin")) throw edgeError("forbidden", "This origin is not allowed.");
  res
    .writeHead(204, {
      "access-control-allow-methods": "GET, HEAD, PUT",
      "access-control-allow-headers": "content-type, if-none-match, if-range, range",
      "access-control-max-age": "600",
    })
    .end();
}

const thumbnailPathPrefix = "/files/thumb/";

/** `{base}/files/thumb/<token>`: thumbnails for every kind of store, generated on first request. */
export function createThumbnailRoute(deps: Pick<Deps, "assets" | "files" | "media" | "signer">): Route {
  return {
    path: `${thumbnailPathPrefix}*`,
    originRule: "any", // the token in the URL is the only credential
    async handle(req, res) {
      if (req.method !== "GET" && req.method !== "HEAD") throw routeNotFoundError();
      const controller = new AbortController();
      res.once("close", () => controller.abort());
      const token = (req.url ?? "").slice(thumbnailPathPrefix.length);
      const { mimeType, content } = await readThumbnail(deps, token, controller.signal);
      res.writeHead(200, {
        "content-type": mimeType,
        "content-length": content.length,
        // Stored files never change, so neither do their thumbnails.
        "cache-control": "private, max-age=3600, immutable",
        "content-security-policy": "sandbox; default-src 'none'",
        "cross-origin-resource-policy": "cross-origin",
        "referrer-policy": "no-referrer",
      });
      res.end(req.method === "HEAD" ? undefined : content);
    },
  };
}
