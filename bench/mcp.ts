import { existsSync } from "node:fs";
import { join } from "node:path";
import { statement } from "#db/database.ts";
import { openDatabase } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createSessionIdCodec } from "#mcp/transport/session-id.ts";
import { createDeps, createTemporaryDatabase, silentLog, type EngineName } from "../test/support/engines.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { modernMeta } from "../test/support/mcp.ts";
import { newStudio } from "../test/support/users.ts";
import { createTestGrant } from "../test/support/tokens.ts";
import { measure, startMeasuredServer, type MeasuredServer } from "./measured-server.ts";
import { createReport } from "./report.ts";

/**
 * Measures a tool call, compared with a bare server and with other implementations.
 *   node bench/mcp.ts [sqlite] [postgres] [--growth] [--quick]
 */

const args = new Set(process.argv.slice(2));
const rounds = args.has("--quick")
  ? { warmUpRounds: 8, rounds: 4, callsPerRound: 400 }
  : { warmUpRounds: 8, rounds: 12, callsPerRound: 1000 };
const requestedEngines = (["sqlite", "postgres"] as const).filter((engine) => args.has(engine));

/** better-auth has its own package.json and is installed separately. */
const hasBetterAuth = existsSync(join(import.meta.dirname, "peers/better-auth/node_modules"));

/**
 * The maximum ratios of CPU to the bare server: what was measured plus noise, so that a regression of 15 % fails.
 * docs/performance.md has the measurements.
 */
const bareLimits = {
  sqlite: { "endpoint alone": 1.38, "behind the entry point": 1.58, "protocol 2025-11-25": 1.7 },
  postgres: { "endpoint alone": 1.22, "behind the entry point": 1.36, "protocol 2025-11-25": 1.38 },
} as const;

const benchReport = createReport({ fractionDigits: 0 });
const { printLine } = benchReport;

interface Bench {
  env: Record<string, string>;
  token: string;
  postId: string;
  sessionId: string;
  remove(): Promise<void>;
}

/** Creates a database with one studio of `postCount` posts, and a token that can read them. */
async function createBench(engine: EngineName, postgresUrl: string | undefined, postCount: number): Promise<Bench> {
  const location = await createTemporaryDatabase(engine, postgresUrl);
  const database = await openDatabase({ ...location, log: silentLog });
  const deps = createDeps(database, () => Date.now());
  const owner = await newStudio(deps);
  const { token, grantId } = await createTestGrant(deps, owner);
  const post = await createPost(deps, owner, { title: "A post of typical length", body: "Some words. ".repeat(40) });
  for (let from = 1; from < postCount; from += 500) {
    const rows = Array.from({ length: Math.min(500, postCount - from) }, (_, i) => ({
      id: deps.newId("post"),
      studioId: owner.studio.id,
      title: `Post ${from + i}`,
      body: "Some words. ".repeat(40),
      status: "draft" as const,
      revision: 1,
      searchText: "",
      createdBy: owner.user.id,
      createdAt: deps.clock(),
      updatedAt: deps.clock(),
    }));
    await database.q.insertInto("posts").values(rows).execute();
  }
  if (engine === "postgres") await database.run(statement("ANALYZE"), []);
  await database.close();
  const sessions = createSessionIdCodec({
    ...deps,
    // The secret of bench/servers/setup.ts.
    signer: createSigner(["benchmark secret of at least 32 bytes"], deps.clock),
  });
  return {
    env: {
      BENCH_DATABASE_URL: location.databaseUrl ?? "",
      BENCH_DATA_DIR: location.dataDir,
      BENCH_USER_ID: owner.user.id,
    },
    token,
    postId: post.id,
    sessionId: sessions.encode({
      grantId,
      studioId: owner.studio.id,
      protocolVersion: "2025-11-25",
      supportsApps: false,
    }),
    remove: () => location.remove(),
  };
}

const createCall =
  (bench: Bench, name: string, input: object) =>
  ({ url, token = bench.token }: MeasuredServer) => ({
    url,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: input, _meta: modernMeta },
    }),
  });

const create2025Call =
  (bench: Bench, name: string, input: object) =>
  ({ url, token = bench.token }: MeasuredServer) => ({
    url,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": bench.sessionId,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
  });

const expectText =
  (text: string) =>
  (response: string): void => {
    if (!response.startsWith("HTTP/1.1 200") || !response.includes(text) || response.includes('"isError":true'))
      throw new Error(`unexpected response: ${response.slice(0, 2000)}`);
  };

async function compare(engine: EngineName, postgresUrl: string | undefined): Promise<void> {
  const bench = await createBench(engine, postgresUrl, 100);
  const serverOptions: [name: string, file: string, env: Record<string, string>, callFraction?: number][] = [
    ["endpoint alone", "servers/ours.ts", bench.env],
    ["behind the entry point", "servers/ours.ts", { ...bench.env, BENCH_ENTRY_POINT: "1" }],
    ["bare node:http", "servers/bare.ts", bench.env],
    ["createMcpHandler", "servers/sdk.ts", bench.env, 0.15],
    ...(hasBetterAuth
      ? [
          ["better-auth + SDK", "peers/better-auth/server.ts", bench.env, 0.15] satisfies [
            string,
            string,
            object,
            number,
          ],
        ]
      : []),
  ];
  // A second process of Atelier and of the bare server, because JIT compilation of the same code differs between processes.
  const isFast = ([, , , callFraction]: (typeof serverOptions)[number]): boolean => callFraction === undefined;
  const servers = await Promise.all(
    [...serverOptions, ...serverOptions.filter(isFast)].map((options) => startMeasuredServer(...options)),
  );
  const input = { postId: bench.postId };
  try {
    const measurements = await measure(servers, createCall(bench, "get_post", input), rounds, expectText(bench.postId));
    const report = (name: string, baseline: string, maxRatio: number): void => {
      const [ourMeasurement, baselineMeasurement] = [measurements.get(name), measurements.get(baseline)];
      if (!ourMeasurement || !baselineMeasurement) return;
      const label = `get_post, ${engine}, ${name}`;
      printLine(
        `${label}, CPU per call`,
        ourMeasurement.cpuMicrosPerCall,
        maxRatio,
        baseline,
        baselineMeasurement.cpuMicrosPerCall,
        "µs",
      );
      printLine(
        `${label}, calls per second`,
        ourMeasurement.callsPerSecond,
        undefined,
        baseline,
        baselineMeasurement.callsPerSecond,
        "/s",
      );
    };
    const limits = bareLimits[engine];
    report("endpoint alone", "bare node:http", limits["endpoint alone"]);
    report("behind the entry point", "bare node:http", limits["behind the entry point"]);
    report("endpoint alone", "createMcpHandler", engine === "sqlite" ? 0.17 : 0.26);
    report("endpoint alone", "better-auth + SDK", 0.2);
    report("behind the entry point", "better-auth + SDK", 0.2);

    const serversFor2025 = servers.filter(({ name }) => name === "endpoint alone" || name === "bare node:http");
    const call = create2025Call(bench, "get_post", input);
    // The calls before have warmed up all but the code of this version.
    const rounds2025 = { ...rounds, warmUpRounds: 3 };
    const measurements2025 = await measure(serversFor2025, call, rounds2025, expectText(bench.postId));
    const getCpu = (name: string): number => measurements2025.get(name)?.cpuMicrosPerCall ?? Number.NaN;
    printLine(
      `get_post, ${engine}, protocol 2025-11-25, CPU per call`,
      getCpu("endpoint alone"),
      limits["protocol 2025-11-25"],
      "bare node:http",
      getCpu("bare node:http"),
      "µs",
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await bench.remove();
  }
}

async function measureGrowth(engine: EngineName, postgresUrl: string | undefined): Promise<void> {
  const [smallBench, largeBench] = [
    await createBench(engine, postgresUrl, 100),
    await createBench(engine, postgresUrl, 100_000),
  ];
  const [smallServer, largeServer] = await Promise.all([
    startMeasuredServer("10^2 posts", "servers/ours.ts", smallBench.env),
    startMeasuredServer("10^5 posts", "servers/ours.ts", largeBench.env),
  ]);
  try {
    for (const tool of ["get_post", "list_posts"]) {
      const createLoad = (server: MeasuredServer) => {
        const bench = server === smallServer ? smallBench : largeBench;
        return createCall(bench, tool, tool === "get_post" ? { postId: bench.postId } : { limit: 20 })(server);
      };
      const measurements = await measure(
        [smallServer, largeServer],
        createLoad,
        // Both servers run the same code, so they need less warm-up.
        { ...rounds, warmUpRounds: 4, callsPerRound: rounds.callsPerRound / (tool === "get_post" ? 1 : 4) },
        expectText("structuredContent"),
      );
      printLine(
        `${tool}, ${engine}, 10^5 posts, CPU per call`,
        measurements.get("10^5 posts")?.cpuMicrosPerCall ?? Number.NaN,
        1.15,
        "10^2 posts",
        measurements.get("10^2 posts")?.cpuMicrosPerCall ?? Number.NaN,
        "µs",
      );
      printLine(
        `${tool}, ${engine}, 10^5 posts, time per call`,
        1e6 / (measurements.get("10^5 posts")?.callsPerSecond ?? Number.NaN),
        1.15,
        "10^2 posts",
        1e6 / (measurements.get("10^2 posts")?.callsPerSecond ?? Number.NaN),
        "µs",
      );
    }
  } finally {
    await Promise.all([smallServer.stop(), largeServer.stop()]);
    await Promise.all([smallBench.remove(), largeBench.remove()]);
  }
}

if (!hasBetterAuth)
  process.stderr.write("Not measured: better-auth. To install it: npm ci --prefix bench/peers/better-auth\n");
const programFolder = findPostgres();
const engines = requestedEngines.length > 0 ? requestedEngines : (["sqlite", "postgres"] as const);
const cluster = engines.includes("postgres") && programFolder ? await createPostgresCluster(programFolder) : undefined;
try {
  for (const engine of engines) {
    if (engine === "postgres" && !cluster) process.stderr.write("Not measured on PostgreSQL: it is not installed.\n");
    else await (args.has("--growth") ? measureGrowth : compare)(engine, cluster?.url());
  }
} finally {
  await cluster?.remove();
}
process.exitCode = benchReport.hasExceededLimit ? 1 : 0;
