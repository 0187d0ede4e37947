import { createSessions } from "#auth/sign-in.ts";
import { sql } from "kysely";
import { execFileSync } from "node:child_process";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { SignedInUser } from "#domain/caller.ts";
import type { BatchOptions } from "#domain/steps/run-in-batches.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { indexExistingRows } from "#domain/jobs/index-existing.ts";
import { purgeStudio } from "#domain/steps/purge-studio.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { addClientPosts, addClientPublications } from "../test/support/client-content.ts";
import { silentLog } from "../test/support/engines.ts";
import { fillStudio } from "../test/support/fill-studio.ts";
import { actThroughClient, addFile } from "../test/support/history-fixture.ts";
import { newConnection } from "../test/support/platform-fixture.ts";
import { startService } from "../test/support/service.ts";
import { newMember, newStudio } from "../test/support/users.ts";
import { createBench } from "./asset-fixture.ts";
import { startHttpClient } from "./http-client.ts";

/**
 * Measures how long operations over many rows block the event loop, and how long they delay the calls of another user,
 * on SQLite, where statements run in the event loop. The limit of a block applies to its CPU time: a virtual machine pauses
 * even idle processes, which the first line shows.
 *   node --max-semi-space-size=16 bench/event-loop.ts [--quick]    10,000 posts, or 1,500
 * The flag is that of `npm start`: without it, garbage collection alone blocks for longer.
 */

const postCount = process.argv.includes("--quick") ? 1500 : 10_000;
const limits = { blockMs: 50, delayMs: 250 };
const resolutionMs = 1;
const numbers = sql`(WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${sql.lit(postCount)}) SELECT n FROM counter)`;

const bench = await createBench("sqlite", undefined);
const { database, owner } = bench;
const { q } = database;
const server = await startService(bench.deps, { config: { areRateLimitsEnabled: false } });
const { deps } = server;
const sessions = createSessions({ deps, base: server.base });
const signIn = async ({ user }: SignedInUser): Promise<string> =>
  (await sessions.start(user.id, undefined)).split(";", 1)[0] ?? "";
const backgroundJob: BatchOptions = { pause: () => sleep(20), shouldStop: () => false };
const exceededLimits: string[] = [];

const since = new Date(deps.clock() - 1000).toISOString();
const studioPath = `/api/studios/${owner.studio.id}`;
const cookie = await signIn(owner);
const client = await actThroughClient(deps, owner);
const otherUser = await newStudio(deps);
const otherCookie = await signIn(otherUser);

const httpClient = await startHttpClient();

async function send(
  method: string,
  path: string,
  body?: unknown,
  asCookie = cookie,
): Promise<{ text: string; ms: number }> {
  const headers = { cookie: asCookie, origin: server.base, "content-type": "application/json" };
  const sentBody = body === undefined ? undefined : JSON.stringify(body);
  const { status, text, ms } = await httpClient.send({ method, url: server.base + path, headers, body: sentBody });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
  return { text, ms };
}

/** What another user does meanwhile: reads and writes in a studio of their own. Returns how long both calls took. */
async function callAsOtherUser(): Promise<number> {
  const path = `/api/studios/${otherUser.studio.id}`;
  const read = await send("GET", `${path}/post-summaries`, undefined, otherCookie);
  const write = await send("POST", `${path}/posts`, { title: "Another post" }, otherCookie);
  return read.ms + write.ms;
}

interface Measurement {
  blockMs: number;
  /** Like `blockMs`, but only the CPU time of this thread: not affected by other load on the machine, nor by the disk. */
  cpuMs: number;
  callMs: number;
  totalMs: number;
}

/** Measures the CPU time of the longest turn of the event loop. */
function monitorCpu(): { stop(): number } {
  let maxMicros = 0;
  let previous = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(previous);
    maxMicros = Math.max(maxMicros, user + system);
    previous = process.threadCpuUsage();
  }, resolutionMs);
  return {
    stop() {
      clearInterval(timer);
      return maxMicros / 1000;
    },
  };
}

async function measure(work: () => Promise<unknown>): Promise<Measurement> {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  const workDone = new AbortController();
  let callMs = 0;
  const otherCalls = (async () => {
    do {
      callMs = Math.max(callMs, await callAsOtherUser());
      await sleep(5);
    } while (!workDone.signal.aborted);
  })();
  const cpuMonitor = monitorCpu();
  histogram.enable();
  const startedAt = performance.now();
  await work().finally(() => workDone.abort());
  const totalMs = performance.now() - startedAt;
  await otherCalls;
  histogram.disable();
  return { blockMs: Math.max(0, histogram.max / 1e6 - resolutionMs), cpuMs: cpuMonitor.stop(), callMs, totalMs };
}

async function report(name: string, work: () => Promise<unknown>): Promise<void> {
  const { blockMs, cpuMs, callMs, totalMs } = await measure(work);
  const delayMs = Math.max(0, callMs - idle.callMs);
  if (cpuMs > limits.blockMs || delayMs > limits.delayMs) exceededLimits.push(name);
  process.stdout.write(
    `${name.padEnd(52)} ${(totalMs / 1000).toFixed(1).padStart(6)} s   longest block ${blockMs.toFixed(0).padStart(5)} ms (${cpuMs.toFixed(0)} ms CPU)   other user's calls ${delayMs.toFixed(0).padStart(5)} ms longer\n`,
  );
}

const connectionIds = [
  await newConnection(deps, owner, "one", "sandbox"),
  await newConnection(deps, owner, "two", "sandbox"),
];
const longPostId = await addClientPosts(bench, client, postCount, postCount);
for (const connectionId of connectionIds) await addClientPublications(bench, client, connectionId);
for (let i = 0; i < postCount / 10; i++) await addFile(deps, client, `file-${i}.pdf`);
const admins = [];
for (let i = 0; i < 10; i++) admins.push(await newMember(deps, owner, "admin"));
const adminCookies = await Promise.all(admins.map((admin) => signIn(admin)));
const otherStudio = await newStudio(deps, owner);
await fillStudio(bench, otherStudio, postCount, postCount);
execFileSync("sync"); // the operations do not wait for what filling has written
process.stderr.write("filled\n");

const warmUp = await measure(() => sleep(2000));
const idle = await measure(() => sleep(20_000));
process.stdout.write(
  `idle: longest block ${idle.blockMs.toFixed(0)} ms, longest call ${idle.callMs.toFixed(0)} ms (warming up: ${warmUp.callMs.toFixed(0)} ms)\n`,
);

/** Returns the id of the undo, without parsing the whole response in this thread. */
async function sendUndo(path: string, body: object): Promise<string> {
  const { text } = await send("POST", path, body);
  return /"undoId":"([^"]+)"/.exec(text)?.[1] ?? "";
}

const undoPath = `${studioPath}/clients/${client.grantId}/undo`;
const readPaths = {
  "list posts": "/posts",
  "list scheduled posts": "/post-summaries?stage=scheduled&order=soonest",
  "count posts": "/post-count",
  calendar: "/calendar?from=2286-11-01T00:00:00Z&to=2286-12-01T00:00:00Z",
  "search for a common word": "/posts?query=words",
  "list publications": "/publications",
  "list activity": "/activity",
  "read a post with a long history": `/posts/${longPostId}/revisions`,
};
for (const [name, path] of Object.entries(readPaths))
  await report(name, async () => {
    for (let i = 0; i < 10; i++) await send("GET", studioPath + path);
  });
await report("undo, dry run", () => send("POST", undoPath, { since, dryRun: true }));
await report("undo, ten dry runs at once by ten users", () =>
  Promise.all(adminCookies.map((adminCookie) => send("POST", undoPath, { since, dryRun: true }, adminCookie))),
);
await report("disconnect an account with publications", () =>
  send("DELETE", `${studioPath}/platforms/${connectionIds[0]}`),
);
let undoId = "";
await report("undo", async () => {
  undoId = await sendUndo(undoPath, { since });
});
await report("undo the undo", async () => {
  undoId = await sendUndo(`${studioPath}/undos/${undoId}/undo`, {});
});
await report("undo the undo of the undo", () => send("POST", `${studioPath}/undos/${undoId}/undo`, {}));
await report("list the trash", () => send("GET", `${studioPath}/trash`));
await report("empty the trash", () => send("DELETE", `${studioPath}/trash`));
await report("sweep the trash (background job)", () => sweepTrash(deps, backgroundJob));
await sql`UPDATE posts SET search_indexed = 0 WHERE studio_id = ${otherStudio.studio.id}`.execute(q);
await report("index existing rows for search (background job)", () =>
  indexExistingRows(deps, backgroundJob, silentLog),
);
await sql`INSERT INTO sessions (token_hash, user_id, created_at, expires_at)
    SELECT 'expired ' || n, ${owner.user.id}, 1, 1 FROM ${numbers} AS t`.execute(q);
await report("delete expired rows (background job)", () => createPurgeJob(deps)(backgroundJob));
await sql`INSERT INTO grants (id, user_id, client_id, client_name, client_verified, redirect_host, scopes, studio_id, generation, rotated_at, granted_at)
    SELECT 'grt_' || printf('%026d', n), ${owner.user.id}, 'c', 'C', 0, 'localhost', '', ${owner.studio.id}, 0, 1, 1 FROM ${numbers} AS t`.execute(
  q,
);
await report("list AI clients", () => send("GET", `${studioPath}/clients`));
await report("revoke all AI clients", () => send("DELETE", `${studioPath}/clients`));
await report("delete a studio", () =>
  send("POST", `/api/studios/${otherStudio.studio.id}/deletion`, { name: "Studio" }),
);
await report("delete its rows (background job)", () => purgeStudio(deps, otherStudio.studio.id, backgroundJob));

await httpClient.close();
await server.close();
await bench.close();
process.exit(exceededLimits.length > 0 ? 1 : 0);
