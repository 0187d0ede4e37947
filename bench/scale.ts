import { readFileSync } from "node:fs";
import { openDatabase } from "#db/open.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createCluster, findPostgres } from "../test/support/cluster.ts";
import { createDeps, createPlace, silent, type Place } from "../test/support/engines.ts";
import { openStream } from "../test/support/idle-stream.ts";
import { startMain, type MainProcess } from "../test/support/main-process.ts";
import { modernMeta } from "../test/support/mcp.ts";
import { newStudio } from "../test/support/people.ts";
import { freeBase } from "../test/support/service.ts";
import { approve } from "../test/support/tokens.ts";
import { run } from "./load.ts";
import { startPeer } from "./peer.ts";

/**
 * What a second process costs, and what clients cost that only listen. Both of the service as it is started by its operator.
 *   node bench/scale.ts [--quick]
 */

const quick = process.argv.includes("--quick");
const rounds = quick ? 5 : 12;
const calls = 4000;
/** Of fewer, what a process takes for itself would count too much. */
const streams = 10_000;
const streamsEach = 20;
/** What the load generator calls itself to: see load.ts. */
const base = "http://localhost:3000";

const figures = { missed: false };

/** One line a measure: what, ours, the limit, the peer, and ours in terms of the peer's. */
function line(what: string, ours: number, limit: number | undefined, peer: string, theirs: number, unit: string): void {
  figures.missed ||= limit !== undefined && ours / theirs > limit;
  const shown = limit === undefined ? "-" : `${limit.toFixed(2)} x`;
  process.stdout.write(
    `${what.padEnd(50)} ours ${ours.toFixed(0).padStart(6)} ${unit}   limit ${shown.padStart(6)}   ${peer.padEnd(17)} ${theirs.toFixed(0).padStart(6)} ${unit}   ${(ours / theirs).toFixed(2)} x\n`,
  );
}

interface Instance {
  url: string;
  process: MainProcess;
}

async function start(place: Place, env: Record<string, string> = {}): Promise<Instance> {
  const { port } = new URL(await freeBase());
  const database = place.databaseUrl === undefined ? undefined : { DATABASE_URL: place.databaseUrl };
  const settings = { PORT: port, BASE_URL: base, DATA_DIR: place.dataDir, RATE_LIMITS: "off", ...database, ...env };
  return { url: `http://127.0.0.1:${port}`, process: await startMain(settings) };
}

/** Microseconds of CPU since it started; the kernel counts in hundredths of a second. */
function cpuOf({ process: { pid } }: Instance): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

async function measureProcesses(server: string): Promise<void> {
  const place = await createPlace("postgres", server);
  const database = await openDatabase({ ...place, log: silent });
  const deps = { ...createDeps(database, systemClock), base };
  const owner = await newStudio(deps);
  const { token } = await approve(deps, owner);
  const { id: postId } = await createPost(deps, owner, { title: "A post", body: "Some words. ".repeat(40) });
  await database.close();
  const one = [await start(place)];
  const two = [await start(place), await start(place)];
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
  const check = (answer: string): void => {
    if (!answer.startsWith("HTTP/1.1 200") || !answer.includes(postId)) throw new Error(answer.slice(0, 2000));
  };
  /** CPU of a call, each of these having eight clients of its own. */
  const share = async (instances: readonly Instance[], atOnce: boolean): Promise<number> => {
    const cpu = () => instances.reduce((sum, instance) => sum + cpuOf(instance), 0);
    const before = cpu();
    const each = calls / instances.length;
    const works = instances.map(
      ({ url }) =>
        () =>
          run({ url: `${url}/mcp`, ...load, connections: 8 }, each, check),
    );
    if (atOnce) await Promise.all(works.map((work) => work()));
    else for (const work of works) await work();
    return (cpu() - before) / calls;
  };
  const found: Record<"one" | "byTurns" | "atOnce", number[]> = { one: [], byTurns: [], atOnce: [] };
  try {
    // Twice the warm-up for the two, since each gets half of the calls.
    for (let i = 0; i < 3; i++) await share(one, false);
    for (let i = 0; i < 6; i++) await share(two, false);
    for (let round = 0; round < rounds; round++) {
      found.one.push(await share(one, false));
      found.byTurns.push(await share(two, false));
      found.atOnce.push(await share(two, true));
    }
    const report = (what: string, times: readonly number[], limit?: number) =>
      line(
        `get_post, postgres, ${what}, CPU a call`,
        Math.min(...times),
        limit,
        "one process",
        Math.min(...found.one),
        "µs",
      );
    report("two processes", found.byTurns, 1.15);
    // With fewer cores than processes, clients and database together, this is what cores take from each other.
    report("two at once", found.atOnce);
  } finally {
    await Promise.all([...one, ...two].map(({ process: { kill } }) => kill()));
    await place.remove();
  }
}

async function measureStreams(): Promise<void> {
  const place = await createPlace("sqlite");
  const ours = await start(place, { CONFORMANCE_FIXTURES: "1" });
  const bare = await startPeer("bare", "servers/streams.ts", {});
  const database = await openDatabase({ ...place, log: silent });
  const deps = { ...createDeps(database, systemClock), base };
  const owner = await newStudio(deps);
  const kilobytes = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  /** How much more memory the process has for each of the streams. */
  const each = async (url: string, pid: number): Promise<number> => {
    const before = kilobytes(pid);
    const open = [];
    for (let i = 0; i < streams / streamsEach; i++) {
      const { token } = await approve(deps, owner);
      open.push(...(await Promise.all(Array.from({ length: streamsEach }, () => openStream(url, token)))));
    }
    const grown = kilobytes(pid) - before;
    for (const { socket } of open) socket.destroy();
    return grown / streams;
  };
  try {
    const [mine, theirs] = [await each(ours.url, ours.process.pid), await each(bare.url, bare.pid)];
    line(`${streams} idle streams, memory each`, mine, undefined, "bare node:http", theirs, "KB");
    figures.missed ||= mine > 25;
  } finally {
    await ours.process.kill();
    await bare.stop();
    await database.close();
    await place.remove();
  }
}

await measureStreams();
const programs = findPostgres();
const cluster = programs ? await createCluster(programs) : undefined;
try {
  if (cluster) await measureProcesses(cluster.url());
  else process.stderr.write("PostgreSQL was not found: not measured.\n");
} finally {
  await cluster?.remove();
}
process.exit(figures.missed ? 1 : 0);
