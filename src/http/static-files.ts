import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Sessions } from "#auth/sign-in.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { buildWebAppCsp } from "./guards.ts";
import type { Handler } from "./server.ts";
import { routeNotFoundError } from "./problem.ts";

interface StaticFile {
  headers: Record<string, string>;
  content: Buffer;
  /** Undefined if compression does not make the file smaller. */
  getGzipContent(): Buffer | undefined;
}

const mimeTypeByExtension: Record<string, string> = {
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
  find(path: string): StaticFile | undefined;
}

/** Reads the built web app into memory at startup, so that request paths never reach the file system. */
export async function loadStaticFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, StaticFile>();
  for (const entry of entries.filter((dirent) => dirent.isFile() && mimeTypeByExtension[extname(dirent.name)])) {
    const path = join(entry.parentPath, entry.name);
    files.set(
      `/${path.slice(folder.length + 1).replaceAll("\\", "/")}`,
      toStaticFile(entry.name, await readFile(path)),
    );
  }
  return { find: (path) => files.get(path) };
}

function toStaticFile(name: string, content: Buffer): StaticFile {
  const type = mimeTypeByExtension[extname(name)] ?? "application/octet-stream";
  const isHashed = /-[\w-]{8,}\.\w+$/.test(name);
  const isCompressible = /text|json|svg|javascript/.test(type);
  let gzipContent: Buffer | undefined;
  return {
    content,
    // Compressed when it is first requested, because compressing all files would delay the start.
    getGzipContent() {
      if (isCompressible) gzipContent ??= gzipSync(content);
      return gzipContent && gzipContent.length < content.length ? gzipContent : undefined;
    },
    headers: {
      "content-type": type,
      "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    },
  };
}

/** Tells the web app that there is no session, so that it doesn't request the user. */
const markSignedOut = ({ content }: StaticFile): StaticFile =>
  toStaticFile(
    "index.html",
    Buffer.from(content.toString().replace('<div id="app">', '<div id="app" data-signed-out>')),
  );

/** The in-chat app, which the MCP endpoint returns as a resource. */
export const chatAppPath = "/chat-app.html";

/** Rendered or returned by other routes; never served as is. */
const internalPaths: readonly string[] = ["/upload.html", "/review.html", chatAppPath];

/**
 * Serves the web app's files, and `index.html` for every other page that a browser requests.
 * Redirects pages on other host names (such as 127.0.0.1 instead of localhost) to the configured one, because cookies
 * are bound to it.
 */
export function createWebAppHandler(
  staticFiles: StaticFiles,
  { baseUrl: base, files }: Pick<Deps, "baseUrl" | "files">,
  sessions: Pick<Sessions, "hasCookie">,
): Handler {
  const cspHeaders = {
    "content-security-policy": buildWebAppCsp(files.origin === new URL(base).origin ? undefined : files.origin),
  };
  const { host } = new URL(base);
  const indexPage = staticFiles.find("/index.html");
  const signedOutPage = indexPage && markSignedOut(indexPage);
  return (req, res, context) => {
    if (req.method !== "GET" && req.method !== "HEAD") throw routeNotFoundError();
    const path = (req.url ?? "/").split("?", 1)[0] ?? "/";
    const acceptsHtml = (req.headers.accept ?? "").includes("text/html");
    if (acceptsHtml && req.headers.host !== host) {
      res.writeHead(307, { location: `${base}${path.startsWith("//") ? "/" : req.url}` }).end();
      return;
    }
    const staticFile = internalPaths.includes(path) ? undefined : staticFiles.find(path);
    const isIndexPage = staticFile === indexPage || (staticFile === undefined && (acceptsHtml || path === "/"));
    const currentIndexPage = sessions.hasCookie(req.headers.cookie) ? indexPage : signedOutPage;
    const file = isIndexPage ? currentIndexPage : staticFile;
    context.isStaticFile = staticFile !== undefined;
    if (!file) throw routeNotFoundError();
    const gzipContent = /\bgzip\b/.test(req.headers["accept-encoding"]?.toString() ?? "")
      ? file.getGzipContent()
      : undefined;
    const body = gzipContent ?? file.content;
    res.writeHead(200, {
      ...file.headers,
      ...(file.headers["content-type"]?.startsWith("text/html") ? cspHeaders : {}),
      vary: isIndexPage ? "accept-encoding, cookie" : "accept-encoding",
      "content-length": body.length,
      ...(gzipContent ? { "content-encoding": "gzip" } : {}),
    });
    res.end(req.method === "HEAD" ? undefined : body);
  };
}
