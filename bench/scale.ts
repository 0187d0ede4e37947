import { readFileSync } from "node:fs";
import { openDatabase } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createDeps, createTemporaryDatabase, silentLog, type DatabaseLocation } from "../test/support/engines.ts";
import { openIdleStream } from "../test/support/idle-stream.ts";
import { startMain, type MainProcess } from "../test/support/main-process.ts";
import { modernMeta } from "../test/support/mcp.ts";
import { newStudio } from "../test/support/users.ts";
import { findFreeBaseUrl } from "../test/support/service.ts";
import { createTestGrant } from "../test/support/tokens.ts";
import { runLoad } from "./load.ts";
import { startPeer } from "./peer.ts";

/**
 * What a second process costs, and what clients cost that only listen. Both of the service as it is started by its operator.
 *   node bench/scale.ts [--quick]
 */

const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 5 : 12;
const calls = 4000;
/** Of fewer, what a process takes for itself would count too much. */
const streams = 10_000;
const streamsPerToken = 20;
/** What the load generator calls itself to: see load.ts. */
const base = "http://localhost:3000";

const results = { missed: false };

/** One line a measure: what, ours, the limit, the peer, and ours in terms of the peer's. */
function printLine(
  label: string,
  ours: number,
  limit: number | undefined,
  peer: string,
  theirs: number,
  unit: string,
): void {
  results.missed ||= limit !== undefined && ours / theirs > limit;
  const limitText = limit === undefined ? "-" : `${limit.toFixed(2)} x`;
  process.stdout.write(
    `${label.padEnd(50)} ours ${ours.toFixed(0).padStart(6)} ${unit}   limit ${limitText.padStart(6)}   ${peer.padEnd(17)} ${theirs.toFixed(0).padStart(6)} ${unit}   ${(ours / theirs).toFixed(2)} x\n`,
  );
}

interface Instance {
  url: string;
  process: MainProcess;
}

async function startInstance(location: DatabaseLocation, env: Record<string, string> = {}): Promise<Instance> {
  const { port } = new URL(await findFreeBaseUrl());
  const database = location.databaseUrl === undefined ? undefined : { DATABASE_URL: location.databaseUrl };
  const settings = { PORT: port, BASE_URL: base, DATA_DIR: location.dataDir, RATE_LIMITS: "off", ...database, ...env };
  return { url: `http://127.0.0.1:${port}`, process: await startMain(settings) };
}

/** Microseconds of CPU since it started; the kernel counts in hundredths of a second. */
function readCpuMicros({ process: { pid } }: Instance): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

async function measureProcesses(server: string): Promise<void> {
  const location = await createTemporaryDatabase("postgres", server);
  const database = await openDatabase({ ...location, log: silentLog });
  const deps = { ...createDeps(database, systemClock), base };
  const owner = await newStudio(deps);
  const { token } = await createTestGrant(deps, owner);
  const { id: postId } = await createPost(deps, owner, { title: "A post", body: "Some words. ".repeat(40) });
  await database.close();
  const one = [await startInstance(location)];
  const two = [await startInstance(location), await startInstance(location)];
  const load = {
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "get_post",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_post", arguments: { postId }, _meta: modernMeta },
    }),
  };
  const check = (responseText: string): void => {
    if (!responseText.startsWith("HTTP/1.1 200") || !responseText.includes(postId))
      throw new Error(responseText.slice(0, 2000));
  };
  /** CPU of a call, each of these having eight clients of its own. */
  const measureCpuPerCall = async (instances: readonly Instance[], inParallel: boolean): Promise<number> => {
    const cpu = () => instances.reduce((sum, instance) => sum + readCpuMicros(instance), 0);
    const before = cpu();
    const measureStreamKb = calls / instances.length;
    const loads = instances.map(
      ({ url }) =>
        () =>
          runLoad({ url: `${url}/mcp`, ...load, connections: 8 }, measureStreamKb, check),
    );
    if (inParallel) await Promise.all(loads.map((startLoad) => startLoad()));
    else for (const startLoad of loads) await startLoad();
    return (cpu() - before) / calls;
  };
  const measurements: Record<"one" | "byTurns" | "atOnce", number[]> = { one: [], byTurns: [], atOnce: [] };
  try {
    // Twice the warm-up for the two, since each gets half of the calls.
    for (let i = 0; i < 3; i++) await measureCpuPerCall(one, false);
    for (let i = 0; i < 6; i++) await measureCpuPerCall(two, false);
    for (let round = 0; round < rounds; round++) {
      measurements.one.push(await measureCpuPerCall(one, false));
      measurements.byTurns.push(await measureCpuPerCall(two, false));
      measurements.atOnce.push(await measureCpuPerCall(two, true));
    }
    const report = (label: string, times: readonly number[], limit?: number) =>
      printLine(
        `get_post, postgres, ${label}, CPU a call`,
        Math.min(...times),
        limit,
        "one process",
        Math.min(...measurements.one),
        "µs",
      );
    report("two processes", measurements.byTurns, 1.15);
    // With fewer cores than processes, clients and database together, this is what cores take from each other.
    report("two at once", measurements.atOnce);
  } finally {
    await Promise.all([...one, ...two].map(({ process: { kill } }) => kill()));
    await location.remove();
  }
}

async function measureStreams(): Promise<void> {
  const location = await createTemporaryDatabase("sqlite");
  const ours = await startInstance(location, { CONFORMANCE_FIXTURES: "1" });
  const bare = await startPeer("bare", "servers/streams.ts", {});
  const database = await openDatabase({ ...location, log: silentLog });
  const deps = { ...createDeps(database, systemClock), base };
  const owner = await newStudio(deps);
  const readRssKb = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  /** How much more memory the process has for each of the streams. */
  const measureStreamKb = async (url: string, pid: number): Promise<number> => {
    const before = readRssKb(pid);
    const open = [];
    for (let i = 0; i < streams / streamsPerToken; i++) {
      const { token } = await createTestGrant(deps, owner);
      open.push(...(await Promise.all(Array.from({ length: streamsPerToken }, () => openIdleStream(url, token)))));
    }
    const memoryGrowth = readRssKb(pid) - before;
    for (const { socket } of open) socket.destroy();
    return memoryGrowth / streams;
  };
  try {
    const [ourKb, theirs] = [
      await measureStreamKb(ours.url, ours.process.pid),
      await measureStreamKb(bare.url, bare.pid),
    ];
    printLine(`${streams} idle streams, memory each`, ourKb, undefined, "bare node:http", theirs, "KB");
    results.missed ||= ourKb > 25;
  } finally {
    await ours.process.kill();
    await bare.stop();
    await database.close();
    await location.remove();
  }
}

await measureStreams();
const programs = findPostgres();
const cluster = programs ? await createPostgresCluster(programs) : undefined;
try {
  if (cluster) await measureProcesses(cluster.url());
  else process.stderr.write("PostgreSQL was not found: not measured.\n");
} finally {
  await cluster?.remove();
}
process.exit(results.missed ? 1 : 0);
