import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createSessionIdCodec } from "#mcp/transport/session-id.ts";
import { createDeps, createTemporaryDatabase, silentLog, type EngineName } from "../test/support/engines.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { modernMeta } from "../test/support/mcp.ts";
import { newStudio } from "../test/support/users.ts";
import { createTestGrant } from "../test/support/tokens.ts";
import { measure, startPeer, type Peer } from "./peer.ts";

/**
 * What a tool call costs, beside what it cannot cost less than and what it costs elsewhere.
 *   node bench/mcp.ts [sqlite] [postgres] [--growth] [--quick]
 */

const cliArgs = new Set(process.argv.slice(2));
const rounds = cliArgs.has("--quick") ? 4 : 12;
const calls = 1000;
const requestedEngines = (["sqlite", "postgres"] as const).filter((engine) => cliArgs.has(engine));

/** The third peer has a package.json of its own. */
const hasBetterAuth = existsSync(join(import.meta.dirname, "peers/better-auth/node_modules"));

/** One line a measure: what, ours, the limit, the peer, and ours in terms of the peer's. */
function printLine(label: string, ours: number, limit: string, peer: string, theirs: number, unit: string): void {
  process.stdout.write(
    `${label.padEnd(50)} ours ${ours.toFixed(0).padStart(6)} ${unit}   limit ${limit.padStart(6)}   ${peer.padEnd(17)} ${theirs.toFixed(0).padStart(6)} ${unit}   ${(ours / theirs).toFixed(2)} x\n`,
  );
}

interface BenchFixture {
  env: Record<string, string>;
  token: string;
  postId: string;
  session: string;
  remove(): Promise<void>;
}

/** A database with `posts` posts in one studio, and a token that may read them. */
async function createBenchFixture(
  engine: EngineName,
  server: string | undefined,
  posts: number,
): Promise<BenchFixture> {
  const location = await createTemporaryDatabase(engine, server);
  const database = await openDatabase({ ...location, log: silentLog });
  const deps = createDeps(database, () => Date.now());
  const owner = await newStudio(deps);
  const { token, grantId } = await createTestGrant(deps, owner);
  const post = await createPost(deps, owner, { title: "A post of common length", body: "Some words. ".repeat(40) });
  for (let insertedCount = 1; insertedCount < posts; insertedCount += 500) {
    await deps.transact(async (tx) => {
      for (let i = insertedCount; i < Math.min(insertedCount + 500, posts); i++) {
        const now = deps.clock();
        await tx.posts.insert({
          id: deps.newId("post"),
          studioId: owner.studio.id,
          title: `Post ${i}`,
          body: "Some words. ".repeat(40),
          status: "draft",
          revision: 1,
          createdBy: owner.user.id,
          createdAt: now,
          updatedAt: now,
        });
      }
    });
  }
  if (engine === "postgres") await database.run({ name: "analyze", sql: "ANALYZE" }, []);
  await database.close();
  const sessions = createSessionIdCodec(
    createSigner(["a secret of at least thirty-two bytes"], () => Date.now()),
    () => Date.now(),
    deps.newSecret,
  );
  return {
    env: {
      BENCH_DATABASE_URL: location.databaseUrl ?? "",
      BENCH_DATA_DIR: location.dataDir,
      BENCH_USER_ID: owner.user.id,
    },
    token,
    postId: post.id,
    session: sessions.encode({ grantId, studioId: owner.studio.id, revision: "2025-11-25" }),
    remove: () => location.remove(),
  };
}

const createCall =
  (fixture: BenchFixture, name: string, args: object) =>
  ({ url, token = fixture.token }: Peer) => ({
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
      params: { name, arguments: args, _meta: modernMeta },
    }),
  });

const createLegacyCall =
  (fixture: BenchFixture, name: string, args: object) =>
  ({ url, token = fixture.token }: Peer) => ({
    url,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": fixture.session,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });

const expectText =
  (text: string) =>
  (responseText: string): void => {
    if (
      !responseText.startsWith("HTTP/1.1 200") ||
      !responseText.includes(text) ||
      responseText.includes('"isError":true')
    )
      throw new Error(`unexpected answer: ${responseText.slice(0, 2000)}`);
  };

async function compareServers(engine: EngineName, server: string | undefined): Promise<void> {
  const fixture = await createBenchFixture(engine, server, 100);
  const servers: [name: string, file: string, env: Record<string, string>, share?: number][] = [
    ["ours", "servers/ours.ts", fixture.env],
    ["whole service", "servers/ours.ts", { ...fixture.env, BENCH_EDGE: "1" }],
    ["bare node:http", "servers/bare.ts", fixture.env],
    ["createMcpHandler", "servers/sdk.ts", fixture.env, 0.15],
    ...(hasBetterAuth
      ? [
          ["better-auth + SDK", "peers/better-auth/server.ts", fixture.env, 0.15] satisfies [
            string,
            string,
            object,
            number,
          ],
        ]
      : []),
  ];
  // Two processes of each: what the compiler makes of the same code differs from one to the next.
  const peers = await Promise.all([...servers, ...servers].map((serverSpec) => startPeer(...serverSpec)));
  const args = { postId: fixture.postId };
  try {
    const results = await measure(
      peers,
      createCall(fixture, "get_post", args),
      rounds,
      calls,
      expectText(fixture.postId),
    );
    const report = (name: string, peer: string, limit: string): void => {
      const [ours, theirs] = [results.get(name), results.get(peer)];
      if (!ours || !theirs) return;
      const label = name === "ours" ? `get_post, ${engine}` : `get_post, ${engine}, ${name}`;
      printLine(`${label}, CPU a call`, ours.cpuMicros, limit, peer, theirs.cpuMicros, "µs");
      printLine(`${label}, calls a second`, ours.callsPerSecond, "-", peer, theirs.callsPerSecond, "/s");
    };
    report("ours", "bare node:http", "1.80 x");
    report("whole service", "bare node:http", "1.80 x");
    report("ours", "createMcpHandler", "1.00 x");
    report("ours", "better-auth + SDK", "0.20 x");
    report("whole service", "better-auth + SDK", "0.20 x");

    const legacyPeers = peers.filter(({ name }) => name === "ours" || name === "bare node:http");
    const legacyResults = await measure(
      legacyPeers,
      createLegacyCall(fixture, "get_post", args),
      rounds,
      calls,
      expectText(fixture.postId),
    );
    const cpu = (name: string): number => legacyResults.get(name)?.cpuMicros ?? Number.NaN;
    printLine(
      `get_post, ${engine}, 2025 wire, CPU a call`,
      cpu("ours"),
      "1.80 x",
      "bare node:http",
      cpu("bare node:http"),
      "µs",
    );
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    await fixture.remove();
  }
}

async function measureGrowth(engine: EngineName, server: string | undefined): Promise<void> {
  const [smallFixture, largeFixture] = [
    await createBenchFixture(engine, server, 100),
    await createBenchFixture(engine, server, 100_000),
  ];
  const [small, large] = await Promise.all([
    startPeer("10^2 posts", "servers/ours.ts", smallFixture.env),
    startPeer("10^5 posts", "servers/ours.ts", largeFixture.env),
  ]);
  try {
    for (const tool of ["get_post", "list_posts"]) {
      const load = (peer: Peer) => {
        const fixture = peer === small ? smallFixture : largeFixture;
        return createCall(fixture, tool, tool === "get_post" ? { postId: fixture.postId } : { limit: 20 })(peer);
      };
      const results = await measure(
        [small, large],
        load,
        rounds,
        tool === "get_post" ? calls : calls / 4,
        expectText("structuredContent"),
      );
      printLine(
        `${tool}, ${engine}, 10^5 posts, CPU a call`,
        results.get("10^5 posts")?.cpuMicros ?? Number.NaN,
        "1.50 x",
        "10^2 posts",
        results.get("10^2 posts")?.cpuMicros ?? Number.NaN,
        "µs",
      );
      printLine(
        `${tool}, ${engine}, 10^5 posts, time a call`,
        1e6 / (results.get("10^5 posts")?.callsPerSecond ?? Number.NaN),
        "1.50 x",
        "10^2 posts",
        1e6 / (results.get("10^2 posts")?.callsPerSecond ?? Number.NaN),
        "µs",
      );
    }
  } finally {
    await Promise.all([small.stop(), large.stop()]);
    await Promise.all([smallFixture.remove(), largeFixture.remove()]);
  }
}

if (!hasBetterAuth)
  process.stderr.write("Not measured: better-auth. To bring it: npm ci --prefix bench/peers/better-auth\n");
const programs = findPostgres();
const selectedEngines = requestedEngines.length > 0 ? requestedEngines : (["sqlite", "postgres"] as const);
const cluster = selectedEngines.includes("postgres") && programs ? await createPostgresCluster(programs) : undefined;
try {
  for (const engine of selectedEngines) {
    if (engine === "postgres" && !cluster) process.stderr.write("PostgreSQL was not found: not measured.\n");
    else await (cliArgs.has("--growth") ? measureGrowth : compareServers)(engine, cluster?.url());
  }
} finally {
  await cluster?.remove();
}
