import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createDeps, createTemporaryDatabase, silentLog, type EngineName } from "../test/support/engines.ts";
import { openIdleStream } from "../test/support/idle-stream.ts";
import { startMain, type MainProcess } from "../test/support/main-process.ts";
import { callModern } from "../test/support/mcp.ts";
import { newMember, newStudio } from "../test/support/users.ts";
import { findFreeBaseUrl } from "../test/support/service.ts";
import { createTestGrant } from "../test/support/tokens.ts";
import { readCpuMs } from "./cpu-time.ts";
import { createReport } from "./report.ts";

/**
 * Measures 1,000 subscribers (500 with --quick) at one process while another process changes the posts, both started as
 * an operator starts them: the time from the call to the announcement, and memory and CPU per subscriber.
 *   node bench/subscriptions.ts [sqlite] [postgres] [--quick]
 */

const isQuick = process.argv.includes("--quick");
const subscriberCount = isQuick ? 500 : 1000;
const streamsPerGrant = 20;
const warmUpCount = 20;
const sharedChanges = isQuick ? 6 : 10;
const ownChanges = isQuick ? 30 : 60;
const idleSeconds = isQuick ? 10 : 20;
/** After many streams were opened, V8 collects garbage for a few seconds, which is not part of an idle process. */
const settleMs = 8000;
const goalMs = 2000;

const report = createReport({ fractionDigits: 1 });

interface Subscriber {
  socket: Socket;
  ownPostId: string;
  /** When the last announcement of each post arrived. */
  arrivals: Map<string, number>;
}

interface Bench {
  engine: EngineName;
  callUrl: string;
  token: string;
  streamProcess: MainProcess;
  subscribers: Subscriber[];
}

async function openSubscribers(
  deps: Deps,
  owner: Caller,
  url: string,
  sharedPostId: string,
  count: number,
): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = [];
  for (let grant = 0; grant < count / streamsPerGrant; grant++) {
    const { token } = await createTestGrant(deps, await newMember(deps, owner, "member"));
    for (let i = 0; i < streamsPerGrant; i++) {
      const { id: ownPostId } = await createPost(deps, owner, { title: "A post", body: "" });
      const uris = [sharedPostId, ownPostId].map((postId) => `atelier://posts/${postId}`);
      const { socket } = await openIdleStream(url, token, { resourceSubscriptions: uris });
      const arrivals = new Map<string, number>();
      socket.on("data", (chunk) => {
        for (const [, postId = ""] of String(chunk).matchAll(/atelier:\/\/posts\/(\w+)/g))
          arrivals.set(postId, performance.now());
      });
      subscribers.push({ socket, ownPostId, arrivals });
    }
  }
  return subscribers;
}

/** Changes the post through the other process. Returns how long after the call each announcement arrived. */
async function measureChange(
  { callUrl, token }: Bench,
  postId: string,
  listeners: readonly Subscriber[],
): Promise<number[]> {
  const startedAt = performance.now();
  const args = { postId, tags: [`at ${Math.round(startedAt)}`] };
  const { json } = await callModern({ url: `${callUrl}/mcp`, token }, "tools/call", {
    name: "update_post",
    arguments: args,
  });
  if (json.result.isError) throw new Error(json.result.content[0].text);
  const isWaiting = ({ arrivals }: Subscriber): boolean => (arrivals.get(postId) ?? 0) < startedAt;
  for (const deadline = startedAt + 30_000; listeners.some(isWaiting); await sleep(5))
    if (performance.now() > deadline) throw new Error("no announcement within 30 s");
  return listeners.map(({ arrivals }) => (arrivals.get(postId) ?? 0) - startedAt);
}

const getP95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

async function measureDelivery(bench: Bench, sharedPostId: string): Promise<void> {
  const { engine, subscribers, streamProcess } = bench;
  const sharedDelays: number[] = [];
  await measureChange(bench, sharedPostId, subscribers); // warm-up
  const cpuBefore = readCpuMs(streamProcess.pid);
  for (let i = 0; i < sharedChanges; i++) {
    sharedDelays.push(...(await measureChange(bench, sharedPostId, subscribers)));
    await sleep(Math.random() * 500); // SQLite is polled; do not always change right after a poll
  }
  const cpuMs = (readCpuMs(streamProcess.pid) - cpuBefore) / sharedChanges / subscriberCount;
  const name = `${subscriberCount} subscribers, ${engine}`;
  report.printLine(`${name}, one post, p95`, getP95(sharedDelays), 1, "goal", goalMs, "ms");
  report.printLine(`${name}, one post, slowest`, Math.max(...sharedDelays), 1, "goal", goalMs, "ms");
  report.printLine(`${name}, CPU per announcement`, cpuMs * 1000, 1, "goal", 200, "µs");
  const ownDelays: number[] = [];
  for (let i = 0; i < ownChanges; i++) {
    const subscriber = subscribers[(i * 16) % subscribers.length];
    if (subscriber) ownDelays.push(...(await measureChange(bench, subscriber.ownPostId, [subscriber])));
  }
  report.printLine(`${name}, own posts, p95`, getP95(ownDelays), 1, "goal", goalMs, "ms");
}

async function measureEngine(engine: EngineName, postgresUrl?: string): Promise<void> {
  const location = await createTemporaryDatabase(engine, postgresUrl);
  const database = await openDatabase({ ...location, log: silentLog });
  const [callUrl, streamUrl] = [await findFreeBaseUrl(), await findFreeBaseUrl()];
  const deps = { ...createDeps(database, systemClock), baseUrl: callUrl };
  const { databaseUrl } = location;
  const settings = {
    BASE_URL: callUrl,
    DATA_DIR: location.dataDir,
    RATE_LIMITS: "off",
    SECRETS: "a secret for the benchmark that is long enough",
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const callProcess = await startMain({ ...settings, PORT: new URL(callUrl).port });
  const streamProcess = await startMain({ ...settings, PORT: new URL(streamUrl).port });
  try {
    const owner = await newStudio(deps);
    const { id: sharedPostId } = await createPost(deps, owner, { title: "A post", body: "" });
    const { token } = await createTestGrant(deps, owner);
    // Loading and compiling code for the first streams takes memory that is not part of a stream. Only a few
    // are opened for this: if their memory is freed after `memoryBefore` is read, the measured streams seem to need less.
    const warmUp = await openSubscribers(deps, owner, streamUrl, sharedPostId, warmUpCount);
    for (const { socket } of warmUp) socket.destroy();
    await sleep(2000);
    const memoryBefore = streamProcess.getMemoryBytes();
    const subscribers = await openSubscribers(deps, owner, streamUrl, sharedPostId, subscriberCount);
    await sleep(2000);
    const kilobytesEach = (streamProcess.getMemoryBytes() - memoryBefore) / 1024 / subscriberCount;
    const bench: Bench = { engine, callUrl, token, streamProcess, subscribers };
    // More than a stream needs (bench/scale.ts), because the first streams also grow the space for new objects.
    report.printLine(`${subscriberCount} subscribers, ${engine}, memory each`, kilobytesEach, 1, "goal", 55, "KB");
    // If the memory shrank, the warm-up freed some of it, and the value says nothing about a stream.
    report.hasExceededLimit ||= kilobytesEach <= 0;
    await sleep(settleMs);
    const cpuBefore = readCpuMs(streamProcess.pid);
    await sleep(idleSeconds * 1000);
    const idlePercent = (readCpuMs(streamProcess.pid) - cpuBefore) / (idleSeconds * 10);
    report.printLine(
      `${subscriberCount} subscribers, ${engine}, CPU of one core when idle`,
      idlePercent,
      1,
      "goal",
      2,
      "%",
    );
    await measureDelivery(bench, sharedPostId);
    for (const { socket } of subscribers) socket.destroy();
  } finally {
    await Promise.all([callProcess.kill(), streamProcess.kill()]);
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
    if (engine === "sqlite" || cluster) await measureEngine(engine, cluster?.url());
    else process.stderr.write("Not measured on PostgreSQL: it is not installed.\n");
  }
} finally {
  await cluster?.remove();
}
process.exit(report.hasExceededLimit ? 1 : 0);
