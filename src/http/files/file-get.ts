import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "#lib/clock.ts";
import { edgeError } from "#lib/errors.ts";
import { formatContentDisposition } from "#lib/file-name.ts";
import type { FileClaims } from "./file-tokens.ts";

/** Opens a stored file. The caller must read its stream to the end or close it. */
export interface FileReader {
  open(key: string): Promise<OpenedFile | undefined>;
}

interface OpenedFile {
  bytes: number;
  version: string;
  /** Undefined if the store does not know it. */
  modifiedAt?: number;
  stream(range?: ByteRange): Readable;
  close(): Promise<void>;
}

/**
 * Prevents scripts in a file from running. The last three directives are for the document that a browser generates
 * when a user opens an image or video directly.
 */
const fileCsp = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/** Handles GET and HEAD, with range and conditional requests. */
export async function serveFile(
  req: IncomingMessage,
  res: ServerResponse,
  store: FileReader,
  claims: Extract<FileClaims, { op: "get" }>,
  { clock, stallTimeoutMs }: { clock: Clock; stallTimeoutMs: number },
): Promise<void> {
  const file = await store.open(claims.key);
  if (!file) throw edgeError("not_found", "This file no longer exists.");
  try {
    const etag = `"${file.version}"`;
    const lastModified = file.modifiedAt === undefined ? undefined : new Date(file.modifiedAt).toUTCString();
    res.setHeader("etag", etag);
    if (lastModified !== undefined) res.setHeader("last-modified", lastModified);
    res.setHeader("cache-control", `private, max-age=${Math.max(0, Math.floor((claims.expiresAt - clock()) / 1000))}`);
    setFileSecurityHeaders(res);
    if (isUnchanged(req, etag, lastModified)) {
      res.writeHead(304).end();
      return;
    }
    res.setHeader("accept-ranges", "bytes");
    res.setHeader("content-type", claims.mimeType);
    res.setHeader("content-disposition", formatContentDisposition(claims.filename, claims.asDownload));
    const ifRange = req.headers["if-range"];
    const isRangeAllowed =
      req.method === "GET" && (ifRange === undefined || ifRange === etag || ifRange === lastModified);
    const range = isRangeAllowed ? parseRange(req.headers.range, file.bytes) : undefined;
    if (range === "unsatisfiable") {
      res.removeHeader("content-disposition");
      res.writeHead(416, { "content-range": `bytes */${file.bytes}`, "content-length": "0" }).end();
      return;
    }
    const length = range ? range.end - range.start + 1 : file.bytes;
    if (range) res.setHeader("content-range", `bytes ${range.start}-${range.end}/${file.bytes}`);
    res.writeHead(range ? 206 : 200, { "content-length": length });
    if (req.method === "HEAD" || length === 0) {
      res.end();
      return;
    }
    await sendBody(file.stream(range), res, stallTimeoutMs);
  } finally {
    await file.close();
  }
}

/** Sends a file as the body, and disconnects a client that stops reading, because each keeps a file open. */
export async function sendBody(file: Readable, res: ServerResponse, stallTimeoutMs: number): Promise<void> {
  // `pipeline` does not close the file if the client has already disconnected.
  if (res.destroyed) return void file.destroy();
  res.setTimeout(stallTimeoutMs, () => res.destroy());
  await pipeline(file, res);
}

function setFileSecurityHeaders(res: ServerResponse): void {
  res.setHeader("content-security-policy", fileCsp);
  // The URL is the credential, so any page that has it may embed the file, such as a chat that shows an image.
  res.setHeader("cross-origin-resource-policy", "cross-origin");
  res.setHeader("referrer-policy", "no-referrer");
}

/** RFC 9110 §13.2.2: `If-None-Match` takes precedence over `If-Modified-Since`. */
function isUnchanged(req: IncomingMessage, etag: string, lastModified: string | undefined): boolean {
  const ifNoneMatch = req.headers["if-none-match"];
  if (ifNoneMatch !== undefined)
    return ifNoneMatch.split(",").some((candidate) => ["*", etag, `W/${etag}`].includes(candidate.trim()));
  const ifModifiedSince = Date.parse(req.headers["if-modified-since"] ?? "");
  return Date.parse(lastModified ?? "") <= ifModifiedSince;
}

export interface ByteRange {
  start: number;
  /** Inclusive. */
  end: number;
}

/**
 * RFC 9110 §14.2: parses a single range. Returns undefined, for the whole file, if there is no header or if a server
 * may ignore it: it is malformed, has another unit or has several ranges.
 */
function parseRange(header: string | undefined, bytes: number): ByteRange | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? "unsatisfiable" : { start: bytes - count, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= bytes ? "unsatisfiable" : { start, end };
}
