import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "#lib/clock.ts";
import { edgeError } from "#lib/errors.ts";
import { formatContentDisposition } from "#lib/file-name.ts";
import type { FileClaims } from "./file-tokens.ts";

/** Opens what lies at a key. Whoever opened it reads it to its end, or closes it. */
export interface FileReader {
  open(key: string): Promise<OpenedFile | undefined>;
}

interface OpenedFile {
  bytes: number;
  version: string;
  modifiedAt: number;
  stream(range?: ByteRange): Readable;
  close(): Promise<void>;
}

/**
 * Nothing in a file runs, whatever it turns out to be. A picture or a film that is opened by itself is drawn by the
 * browser in a page of its own making, which needs the last three.
 */
const fileCsp = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/** GET and HEAD: ranged, conditional, and inert in a browser. */
export async function serveFile(
  req: IncomingMessage,
  res: ServerResponse,
  store: FileReader,
  claims: Extract<FileClaims, { op: "get" }>,
  { clock, stallTimeoutMs }: { clock: Clock; stallTimeoutMs: number },
): Promise<void> {
  const file = await store.open(claims.key);
  if (!file) throw edgeError("not_found", "There is no such file any more.");
  try {
    const etag = `"${file.version}"`;
    const lastModified = new Date(file.modifiedAt).toUTCString();
    res.setHeader("etag", etag);
    res.setHeader("last-modified", lastModified);
    res.setHeader("cache-control", `private, max-age=${Math.max(0, Math.floor((claims.expiresAt - clock()) / 1000))}`);
    setInertHeaders(res);
    if (isUnchanged(req, etag, lastModified)) {
      res.writeHead(304).end();
      return;
    }
    res.setHeader("accept-ranges", "bytes");
    res.setHeader("content-type", claims.mimeType);
    res.setHeader("content-disposition", formatContentDisposition(claims.filename, claims.asDownload));
    const ifRange = req.headers["if-range"];
    const honorsRange = req.method === "GET" && (ifRange === undefined || ifRange === etag || ifRange === lastModified);
    const range = honorsRange ? parseRange(req.headers.range, file.bytes) : undefined;
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
    // A reader that takes nothing for so long keeps a file open for nobody.
    res.setTimeout(stallTimeoutMs, () => res.destroy());
    await pipeline(file.stream(range), res);
  } finally {
    await file.close();
  }
}

function setInertHeaders(res: ServerResponse): void {
  res.setHeader("content-security-policy", fileCsp);
  res.setHeader("x-content-type-options", "nosniff");
  // The address is the key: a page that has it, such as a chat that shows the picture, may show it.
  res.setHeader("cross-origin-resource-policy", "cross-origin");
  res.setHeader("referrer-policy", "no-referrer");
}

/** RFC 9110 §13.2.2: `If-None-Match` where there is one, else `If-Modified-Since`. */
function isUnchanged(req: IncomingMessage, etag: string, lastModified: string): boolean {
  const ifNoneMatch = req.headers["if-none-match"];
  if (ifNoneMatch !== undefined)
    return ifNoneMatch.split(",").some((candidate) => ["*", etag, `W/${etag}`].includes(candidate.trim()));
  const ifModifiedSince = Date.parse(req.headers["if-modified-since"] ?? "");
  return Date.parse(lastModified) <= ifModifiedSince;
}

export interface ByteRange {
  start: number;
  /** Included. */
  end: number;
}

/**
 * RFC 9110 §14.2: the one range that is asked for. Undefined means the whole: also for a header that is malformed,
 * in another unit, or asks for several ranges, which a server may ignore and which mostly abuse asks for.
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
