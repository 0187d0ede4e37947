import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { toPostUri } from "#mcp/post-resources.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createDeps, createTemporaryDatabase, silentLog, type DatabaseLocation } from "../test/support/engines.ts";
import { openIdleStream } from "../test/support/idle-stream.ts";
import { startMain, type MainProcess } from "../test/support/main-process.ts";
import { modernMeta } from "../test/support/mcp.ts";
import { newStudio } from "../test/support/users.ts";
import { findFreeBaseUrl } from "../test/support/service.ts";
import { createTestGrant } from "../test/support/tokens.ts";
import { readCpuMs } from "./cpu-time.ts";
import { sendLoad } from "./load.ts";
import { startMeasuredServer } from "./measured-server.ts";
import { createReport } from "./report.ts";

/**
 * Measures the cost of a second process and of idle streams, with the service started as an operator starts it.
 *   node bench/scale.ts [--quick]
 */

const isQuick = process.argv.includes("--quick");
const [rounds, callsPerRound] = isQuick ? [4, 1500] : [12, 4000];
/** With fewer streams, the memory of the process itself would dominate. */
const streamCount = isQuick ? 5000 : 10_000;
const streamsPerGrant = 20;
/**
 * All instances have this base URL, although each listens on its own port; `load.ts` sends this host in the Host
 * header.
 */
const base = "http://localhost:3000";

const report = createReport({ fractionDigits: 0 });

interface Instance {
  url: string;
  process: MainProcess;
}

async function startInstance(location: DatabaseLocation): Promise<Instance> {
  const { port } = new URL(await findFreeBaseUrl());
  const database = location.databaseUrl === undefined ? undefined : { DATABASE_URL: location.databaseUrl };
  const settings = { PORT: port, BASE_URL: base, DATA_DIR: location.dataDir, RATE_LIMITS: "off", ...database };
  return { url: `http://127.0.0.1:${port}`, process: await startMain(settings) };
}

async function measureProcesses(postgresUrl: string): Promise<void> {
  const location = await createTemporaryDatabase("postgres", postgresUrl);
  const database = await openDatabase({ ...location, log: silentLog });
  const deps = { ...createDeps(database, systemClock), baseUrl: base };
  const owner = await newStudio(deps);
  const { token } = await createTestGrant(deps, owner);
  const { id: postId } = await createPost(deps, owner, { title: "A post", body: "Some words. ".repeat(40) });
  await database.close();
  const oneProcess = [await startInstance(location)];
  const twoProcesses = [await startInstance(location), await startInstance(location)];
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
  const check = (response: string): void => {
    if (!response.startsWith("HTTP/1.1 200") || !response.includes(postId)) throw new Error(response.slice(0, 2000));
  };
  /** Returns the microseconds of CPU per call, with eight connections to each instance. */
  const measureCpu = async (instances: readonly Instance[], isParallel: boolean): Promise<number> => {
    const totalCpu = () => instances.reduce((sum, instance) => sum + readCpuMs(instance.process.pid) * 1000, 0);
    const before = totalCpu();
    const callsEach = callsPerRound / instances.length;
    const runs = instances.map(
      ({ url }) =>
        () =>
          sendLoad({ url: `${url}/mcp`, ...load, connections: 8 }, callsEach, check),
    );
    if (isParallel) await Promise.all(runs.map((sendCalls) => sendCalls()));
    else for (const sendCalls of runs) await sendCalls();
    return (totalCpu() - before) / callsPerRound;
  };
  const cpu: Record<"one" | "sequential" | "parallel", number[]> = { one: [], sequential: [], parallel: [] };
  try {
    // Two processes get twice the warm-up, because each receives half of the calls.
    for (let i = 0; i < 3; i++) await measureCpu(oneProcess, false);
    for (let i = 0; i < 6; i++) await measureCpu(twoProcesses, false);
    for (let round = 0; round < rounds; round++) {
      cpu.one.push(await measureCpu(oneProcess, false));
      cpu.sequential.push(await measureCpu(twoProcesses, false));
      cpu.parallel.push(await measureCpu(twoProcesses, true));
    }
    const printCpu = (name: string, values: readonly number[], maxRatio?: number) =>
      report.printLine(
        `get_post, postgres, ${name}, CPU per call`,
        Math.min(...values),
        maxRatio,
        "one process",
        Math.min(...cpu.one),
        "µs",
      );
    printCpu("two processes in turn", cpu.sequential, 1.15);
    // No limit: with few cores, processes, clients and database compete for them.
    printCpu("two processes in parallel", cpu.parallel);
  } finally {
    await Promise.all([...oneProcess, ...twoProcesses].map(({ process: { kill } }) => kill()));
    await location.remove();
  }
}

async function measureStreams(): Promise<void> {
  const location = await createTemporaryDatabase("sqlite");
  const ours = await startInstance(location);
  const bare = await startMeasuredServer("bare", "servers/streams.ts", {});
  const database = await openDatabase({ ...location, log: silentLog });
  const deps = { ...createDeps(database, systemClock), baseUrl: base };
  const readMemoryKb = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  /** Returns the kilobytes that each stream adds to the process. */
  const measureMemoryPerStream = async (url: string, pid: number): Promise<number> => {
    await sleep(3000); // a second after its start, the server releases memory
    const before = readMemoryKb(pid);
    const openStreams = [];
    for (let i = 0; i < streamCount / streamsPerGrant; i++) {
      const owner = await newStudio(deps);
      const { token } = await createTestGrant(deps, owner);
      const { id } = await createPost(deps, owner, { title: "Followed", body: "" });
      const filter = { resourceSubscriptions: [toPostUri(id)] };
      openStreams.push(
        ...(await Promise.all(Array.from({ length: streamsPerGrant }, () => openIdleStream(url, token, filter)))),
      );
    }
    const growth = readMemoryKb(pid) - before;
    for (const { socket } of openStreams) socket.destroy();
    return growth / streamCount;
  };
  try {
    const [oursKb, bareKb] = [
      await measureMemoryPerStream(ours.url, ours.process.pid),
      await measureMemoryPerStream(bare.url, bare.pid),
    ];
    const name = `${streamCount} idle streams, memory per stream`;
    report.printLine(name, oursKb, 1, "goal", 25, "KB");
    report.printLine(name, oursKb, undefined, "bare node:http", bareKb, "KB");
  } finally {
    await ours.process.kill();
    await bare.stop();
    await database.close();
    await location.remove();
  }
}

await measureStreams();
const programFolder = findPostgres();
const cluster = programFolder ? await createPostgresCluster(programFolder) : undefined;
try {
  if (cluster) await measureProcesses(cluster.url());
  else process.stderr.write("Not measured on PostgreSQL: it is not installed.\n");
} finally {
  await cluster?.remove();
}
process.exit(report.hasExceededLimit ? 1 : 0);
