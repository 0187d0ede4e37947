import { Readable } from "node:stream";
import type { FileStore } from "#domain/ports/file-store.ts";
import type { Clock } from "#lib/clock.ts";
import { edgeError } from "#lib/errors.ts";
import { routeNotFoundError } from "../problem.ts";
import type { Route } from "../server.ts";
import { serveFile, type FileReader } from "./file-get.ts";
import { respondWithProblem } from "./file-put.ts";
import { mediaPathPrefix, type MediaTokens } from "./media-tokens.ts";

export interface MediaRouteOptions {
  files: FileStore;
  tokens: MediaTokens;
  clock: Clock;
  stallTimeoutMs: number;
}

/**
 * `{base}/files/media/<token>`: the files of a post that is being published, for platforms that fetch them. Used with
 * every store, because a store may have no public URL.
 */
export function createMediaRoute({ files, tokens, clock, stallTimeoutMs }: MediaRouteOptions): Route {
  const reader = createStoreReader(files);
  return {
    path: `${mediaPathPrefix}*`,
    originRule: "any", // the token in the URL is the only credential
    async handle(req, res, context) {
      if (req.method !== "GET" && req.method !== "HEAD") throw routeNotFoundError();
      try {
        const claims = tokens.verify((req.url ?? "").slice(mediaPathPrefix.length));
        // The same error for forged, truncated and expired tokens.
        if (!claims) throw edgeError("not_found", "This link is invalid or has expired.");
        await serveFile(req, res, reader, { op: "get", asDownload: false, ...claims }, { clock, stallTimeoutMs });
      } catch (error) {
        respondWithProblem(req, res, error, context);
      }
    },
  };
}

/** Reads a file of any store. */
export function createStoreReader(files: FileStore): FileReader {
  return {
    async open(key) {
      const file = await files.stat(key);
      if (!file) return undefined;
      const controller = new AbortController();
      return {
        bytes: file.bytes,
        version: file.version.replaceAll('"', ""),
        stream: (range) => Readable.from(readLazily(() => files.read(key, range, controller.signal))),
        close: async () => controller.abort(),
      };
    },
  };
}

async function* readLazily(open: () => Promise<Readable>): AsyncGenerator<Uint8Array> {
  yield* await open();
}
