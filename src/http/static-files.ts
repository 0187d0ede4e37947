import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { webAppCsp } from "./security-headers.ts";
import type { Handler } from "./server.ts";
import { nothingHere } from "./problem.ts";

interface StaticFile {
  headers: Record<string, string>;
  plain: Buffer;
  gzip: Buffer | undefined;
}

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

export interface StaticFiles {
  /** The file at this path, or nothing. */
  find(path: string): StaticFile | undefined;
}

/** The built web app, read whole at start: it is small, and no path from a request ever touches the disk. */
export async function loadStaticFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, StaticFile>();
  for (const entry of entries.filter((one) => one.isFile() && types[extname(one.name)])) {
    const path = join(entry.parentPath, entry.name);
    files.set(
      `/${path.slice(folder.length + 1).replaceAll("\\", "/")}`,
      toStaticFile(entry.name, await readFile(path)),
    );
  }
  return { find: (path) => files.get(path) };
}

function toStaticFile(name: string, plain: Buffer): StaticFile {
  const type = types[extname(name)] ?? "application/octet-stream";
  const hashed = /-[\w-]{8,}\.\w+$/.test(name);
  const zipped = /text|json|svg|javascript/.test(type) ? gzipSync(plain) : undefined;
  return {
    plain,
    gzip: zipped && zipped.length < plain.length ? zipped : undefined,
    headers: {
      "content-type": type,
      "cache-control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
    },
  };
}

/** Pages with gaps, which other routes fill. */
const templates = { upload: "/upload.html" } as const;

/**
 * The web app: its files, and its one page for every other address a person can open.
 * On loopback a page asked for under another name (127.0.0.1 for localhost) is sent to the one where cookies live.
 */
export function webApp(files: StaticFiles, base: string, store: string): Handler {
  const policy = { "content-security-policy": webAppCsp(store === new URL(base).origin ? undefined : store) };
  const { host } = new URL(base);
  return (req, res, context) => {
    if (req.method !== "GET" && req.method !== "HEAD") throw nothingHere();
    const path = (req.url ?? "/").split("?", 1)[0] ?? "/";
    const isPage = (req.headers.accept ?? "").includes("text/html");
    if (isPage && req.headers.host !== host) {
      res.writeHead(307, { location: `${base}${path.startsWith("//") ? "/" : req.url}` }).end();
      return;
    }
    const staticFile = path === templates.upload ? undefined : files.find(path);
    const file = staticFile ?? (isPage || path === "/" ? files.find("/index.html") : undefined);
    context.isStaticFile = staticFile !== undefined;
    if (!file) throw nothingHere();
    const gzip = /\bgzip\b/.test(req.headers["accept-encoding"]?.toString() ?? "") ? file.gzip : undefined;
    const body = gzip ?? file.plain;
    res.writeHead(200, {
      ...file.headers,
      ...(file.headers["content-type"]?.startsWith("text/html") ? policy : {}),
      vary: "accept-encoding",
      "content-length": body.length,
      ...(gzip ? { "content-encoding": "gzip" } : {}),
    });
    res.end(req.method === "HEAD" ? undefined : body);
  };
}
