import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createSessions } from "#auth/sign-in.ts";
import { openDatabase } from "#db/open-database.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createDeps, createTemporaryDatabase, silentLog, type EngineName } from "../test/support/engines.ts";
import { startMain } from "../test/support/main-process.ts";
import { newMember, newStudio } from "../test/support/users.ts";
import { findFreeBaseUrl } from "../test/support/service.ts";
import { readCpuMs } from "./cpu-time.ts";
import { createReport } from "./report.ts";

/**
 * Measures what 1,000 open pages cost a process while nothing changes, all in one studio and each in its own, and beside
 * it the same pages as they polled before there were streams.
 *   node bench/live-pages.ts [sqlite] [postgres] [--quick]
 */

const isQuick = process.argv.includes("--quick");
const pageCount = 1000;
const warmUpCount = 20;
/** A user may have 100 streams. */
const pagesPerUser = 100;
/** A multiple of the 15 seconds between two heartbeats. */
const idleSeconds = isQuick ? 15 : 30;
/** After many streams were opened, V8 collects garbage and compiles what heartbeats need, which is no part of idling. */
const settleMs = 30_000;
const pollingPages = 100;
const pollingSeconds = 10;
const postsPerStudio = 30;

const report = createReport({ fractionDigits: 1 });

interface Page {
  studioId: string;
  postId: string;
  cookie: string;
}

/** Each page is open in a browser of its own. */
async function createPages(deps: Deps, base: string, studioCount: number): Promise<Page[]> {
  const sessions = createSessions({ deps, base });
  const pages: Page[] = [];
  const pagesPerStudio = pageCount / studioCount;
  for (let studio = 0; studio < studioCount; studio++) {
    const owner = await newStudio(deps);
    const postIds: string[] = [];
    // Only the studios of pages that poll need a list.
    for (let i = 0; i < (studio % (pageCount / pollingPages) === 0 ? postsPerStudio : 1); i++)
      postIds.push((await createPost(deps, owner, { title: `Post ${i}`, body: "Some words. ".repeat(40) })).id);
    let user: Caller = owner;
    for (let i = 0; i < pagesPerStudio; i++) {
      if (i > 0 && i % pagesPerUser === 0) user = await newMember(deps, owner, "member");
      const cookie = (await sessions.start(user.user.id, undefined)).split(";", 1)[0] ?? "";
      pages.push({ studioId: owner.studio.id, postId: postIds[i % postIds.length] ?? "", cookie });
    }
  }
  return pages;
}

/** Opens the stream of a page on a raw socket, which needs little CPU beside the measured process. */
async function openStream(base: string, { studioId, cookie }: Page): Promise<Socket> {
  const { host, port } = new URL(base);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`GET /api/studios/${studioId}/events HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  if (!String(chunk).startsWith("HTTP/1.1 200")) throw new Error(String(chunk));
  return socket.resume();
}

/** What a list (36 requests a minute) and a post (110) requested per minute. */
const polledPaths = ({ postId }: Page, isPost: boolean): (readonly [path: string, perMinute: number])[] => [
  ["publications/counts?from=2026-01-01T00:00:00.000Z", 6],
  ...(isPost
    ? ([
        [`posts/${postId}`, 40],
        [`posts/${postId}/comments`, 40],
        [`posts/${postId}/upload-links`, 12],
        ["platforms", 12],
      ] as const)
    : ([["post-summaries?limit=50", 30]] as const)),
];

/** Polls with half of the pages at a list and half at a post. Returns the number of requests. */
async function poll(base: string, pages: readonly Page[], seconds: number): Promise<number> {
  const endAt = performance.now() + seconds * 1000;
  let requestCount = 0;
  const pollPath = async ({ studioId, cookie }: Page, path: string, intervalMs: number): Promise<void> => {
    let etag = "";
    await sleep(Math.random() * intervalMs);
    for (let at = performance.now(); at < endAt; await sleep(Math.max(0, (at += intervalMs) - performance.now()))) {
      const headers = { cookie, "if-none-match": etag };
      const response = await fetch(`${base}/api/studios/${studioId}/${path}`, { headers });
      const text = await response.text();
      // On a busy machine, the polling pages overload the server.
      if (![200, 304, 503].includes(response.status)) throw new Error(`${path}: ${response.status} ${text}`);
      etag = response.headers.get("etag") ?? "";
      requestCount++;
    }
  };
  await Promise.all(
    pages.flatMap((page, i) =>
      polledPaths(page, i % 2 === 0).map(([path, perMinute]) => pollPath(page, path, 60_000 / perMinute)),
    ),
  );
  return requestCount;
}

async function measure(engine: EngineName, studioCount: number, postgresUrl?: string): Promise<void> {
  const location = await createTemporaryDatabase(engine, postgresUrl);
  const database = await openDatabase({ ...location, log: silentLog });
  const base = await findFreeBaseUrl();
  const { databaseUrl } = location;
  const server = await startMain({
    BASE_URL: base,
    PORT: new URL(base).port,
    DATA_DIR: location.dataDir,
    RATE_LIMITS: "off",
    SECRETS: "a secret for the benchmark that is long enough",
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  });
  try {
    const pages = await createPages({ ...createDeps(database, systemClock), baseUrl: base }, base, studioCount);
    const name = `1,000 pages, ${studioCount === 1 ? "one studio" : "1,000 studios"}, ${engine}`;
    const open = async (count: number): Promise<Socket[]> => {
      const sockets: Socket[] = [];
      for (const page of pages.slice(0, count)) sockets.push(await openStream(base, page));
      return sockets;
    };
    // Loads and compiles the code.
    for (const socket of await open(warmUpCount)) socket.destroy();
    await sleep(2000);
    const memoryBefore = server.getMemoryBytes();
    const sockets = await open(pageCount);
    await sleep(2000);
    const kilobytesEach = (server.getMemoryBytes() - memoryBefore) / 1024 / pageCount;
    report.printLine(`${name}, memory each`, kilobytesEach, 1, "goal", 60, "KB");
    // If the memory shrank, the warm-up freed some of it, and the value says nothing about a page.
    report.hasExceededLimit ||= kilobytesEach <= 0;
    await sleep(settleMs);
    const cpuBefore = readCpuMs(server.pid);
    await sleep(idleSeconds * 1000);
    const idlePercent = (readCpuMs(server.pid) - cpuBefore) / (idleSeconds * 10);
    report.printLine(`${name}, CPU of one core when idle`, idlePercent, 1, "goal", 2, "%");
    for (const socket of sockets) socket.destroy();
    await sleep(1000);
    const polledPages = pages.filter((_, i) => i % (pageCount / pollingPages) === 0);
    await poll(base, polledPages, 3); // compiles the code
    const cpuBeforePolling = readCpuMs(server.pid);
    const startedAt = performance.now();
    const requestCount = await poll(base, polledPages, pollingSeconds);
    const cpuMs = readCpuMs(server.pid) - cpuBeforePolling;
    const percent = ((cpuMs / (performance.now() - startedAt)) * 100 * pageCount) / pollingPages;
    report.printLine(`${name}, CPU when idle`, idlePercent, 0.1, "polling, 10 x 100 pages", percent, "%");
    process.stdout.write(`  polling: ${requestCount} requests, ${(cpuMs / requestCount).toFixed(2)} ms of CPU each\n`);
  } finally {
    await server.kill();
    await database.close();
    await location.remove();
  }
}

const requestedEngines = (["sqlite", "postgres"] as const).filter((engine) => process.argv.includes(engine));
const engines = requestedEngines.length === 0 ? (["sqlite", "postgres"] as const) : requestedEngines;
const programFolder = engines.includes("postgres") ? findPostgres() : undefined;
const cluster = programFolder ? await createPostgresCluster(programFolder) : undefined;
try {
  for (const engine of engines) {
    if (engine === "postgres" && !cluster) process.stderr.write("Not measured on PostgreSQL: it is not installed.\n");
    else for (const studioCount of [1, pageCount]) await measure(engine, studioCount, cluster?.url());
  }
} finally {
  await cluster?.remove();
}
process.exit(report.hasExceededLimit ? 1 : 0);
