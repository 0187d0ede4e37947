import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "#db/open.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createSessions } from "#mcp/session.ts";
import { createDeps, createPlace, silent, type EngineName } from "../test/support/engines.ts";
import { createCluster, findPostgres } from "../test/support/cluster.ts";
import { modernMeta } from "../test/support/mcp.ts";
import { newStudio } from "../test/support/people.ts";
import { approve } from "../test/support/tokens.ts";
import { measure, startPeer, type Peer } from "./peer.ts";

/**
 * What a tool call costs, beside what it cannot cost less than and what it costs elsewhere.
 *   node bench/mcp.ts [sqlite] [postgres] [--growth] [--quick]
 */

const asked = new Set(process.argv.slice(2));
const rounds = asked.has("--quick") ? 4 : 12;
const calls = 1000;
const chosen = (["sqlite", "postgres"] as const).filter((engine) => asked.has(engine));

/** The third peer has a package.json of its own. */
const hasBetterAuth = existsSync(join(import.meta.dirname, "peers/better-auth/node_modules"));

/** One line a measure: what, ours, the limit, the peer, and ours in terms of the peer's. */
function line(what: string, ours: number, limit: string, peer: string, theirs: number, unit: string): void {
  process.stdout.write(
    `${what.padEnd(50)} ours ${ours.toFixed(0).padStart(6)} ${unit}   limit ${limit.padStart(6)}   ${peer.padEnd(17)} ${theirs.toFixed(0).padStart(6)} ${unit}   ${(ours / theirs).toFixed(2)} x\n`,
  );
}

interface Bench {
  env: Record<string, string>;
  token: string;
  postId: string;
  session: string;
  remove(): Promise<void>;
}

/** A database with `posts` posts in one studio, and a token that may read them. */
async function prepare(engine: EngineName, server: string | undefined, posts: number): Promise<Bench> {
  const place = await createPlace(engine, server);
  const database = await openDatabase({ ...place, log: silent });
  const deps = createDeps(database, () => Date.now());
  const owner = await newStudio(deps);
  const { token, grantId } = await approve(deps, owner);
  const post = await createPost(deps, owner, { title: "A post of common length", body: "Some words. ".repeat(40) });
  for (let made = 1; made < posts; made += 500) {
    await deps.transact(async (tx) => {
      for (let i = made; i < Math.min(made + 500, posts); i++) {
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
  const sessions = createSessions(
    createSigner(["a secret of at least thirty-two bytes"], () => Date.now()),
    () => Date.now(),
    deps.newSecret,
  );
  return {
    env: { BENCH_DATABASE_URL: place.databaseUrl ?? "", BENCH_DATA_DIR: place.dataDir, BENCH_USER_ID: owner.user.id },
    token,
    postId: post.id,
    session: sessions.seal({ grantId, studioId: owner.studio.id, revision: "2025-11-25" }),
    remove: () => place.remove(),
  };
}

const callOf =
  (bench: Bench, name: string, args: object) =>
  ({ url, token = bench.token }: Peer) => ({
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

const oldCallOf =
  (bench: Bench, name: string, args: object) =>
  ({ url, token = bench.token }: Peer) => ({
    url,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": bench.session,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });

const expecting =
  (text: string) =>
  (answer: string): void => {
    if (!answer.startsWith("HTTP/1.1 200") || !answer.includes(text) || answer.includes('"isError":true'))
      throw new Error(`unexpected answer: ${answer.slice(0, 2000)}`);
  };

async function compare(engine: EngineName, server: string | undefined): Promise<void> {
  const bench = await prepare(engine, server, 100);
  const servers: [name: string, file: string, env: Record<string, string>, share?: number][] = [
    ["ours", "servers/ours.ts", bench.env],
    ["whole service", "servers/ours.ts", { ...bench.env, BENCH_EDGE: "1" }],
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
  // Two processes of each: what the compiler makes of the same code differs from one to the next.
  const peers = await Promise.all([...servers, ...servers].map((one) => startPeer(...one)));
  const args = { postId: bench.postId };
  try {
    const found = await measure(peers, callOf(bench, "get_post", args), rounds, calls, expecting(bench.postId));
    const report = (name: string, peer: string, limit: string): void => {
      const [ours, theirs] = [found.get(name), found.get(peer)];
      if (!ours || !theirs) return;
      const what = name === "ours" ? `get_post, ${engine}` : `get_post, ${engine}, ${name}`;
      line(`${what}, CPU a call`, ours.cpuMicros, limit, peer, theirs.cpuMicros, "µs");
      line(`${what}, calls a second`, ours.callsPerSecond, "-", peer, theirs.callsPerSecond, "/s");
    };
    report("ours", "bare node:http", "1.80 x");
    report("whole service", "bare node:http", "1.80 x");
    report("ours", "createMcpHandler", "1.00 x");
    report("ours", "better-auth + SDK", "0.20 x");
    report("whole service", "better-auth + SDK", "0.20 x");

    const two = peers.filter(({ name }) => name === "ours" || name === "bare node:http");
    const old = await measure(two, oldCallOf(bench, "get_post", args), rounds, calls, expecting(bench.postId));
    const cpu = (name: string): number => old.get(name)?.cpuMicros ?? Number.NaN;
    line(
      `get_post, ${engine}, 2025 wire, CPU a call`,
      cpu("ours"),
      "1.80 x",
      "bare node:http",
      cpu("bare node:http"),
      "µs",
    );
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    await bench.remove();
  }
}

async function growth(engine: EngineName, server: string | undefined): Promise<void> {
  const [few, many] = [await prepare(engine, server, 100), await prepare(engine, server, 100_000)];
  const [small, large] = await Promise.all([
    startPeer("10^2 posts", "servers/ours.ts", few.env),
    startPeer("10^5 posts", "servers/ours.ts", many.env),
  ]);
  try {
    for (const tool of ["get_post", "list_posts"]) {
      const load = (peer: Peer) => {
        const bench = peer === small ? few : many;
        return callOf(bench, tool, tool === "get_post" ? { postId: bench.postId } : { limit: 20 })(peer);
      };
      const found = await measure(
        [small, large],
        load,
        rounds,
        tool === "get_post" ? calls : calls / 4,
        expecting("structuredContent"),
      );
      line(
        `${tool}, ${engine}, 10^5 posts, CPU a call`,
        found.get("10^5 posts")?.cpuMicros ?? Number.NaN,
        "1.50 x",
        "10^2 posts",
        found.get("10^2 posts")?.cpuMicros ?? Number.NaN,
        "µs",
      );
      line(
        `${tool}, ${engine}, 10^5 posts, time a call`,
        1e6 / (found.get("10^5 posts")?.callsPerSecond ?? Number.NaN),
        "1.50 x",
        "10^2 posts",
        1e6 / (found.get("10^2 posts")?.callsPerSecond ?? Number.NaN),
        "µs",
      );
    }
  } finally {
    await Promise.all([small.stop(), large.stop()]);
    await Promise.all([few.remove(), many.remove()]);
  }
}

if (!hasBetterAuth)
  process.stderr.write("Not measured: better-auth. To bring it: npm ci --prefix bench/peers/better-auth\n");
const programs = findPostgres();
const wanted = chosen.length > 0 ? chosen : (["sqlite", "postgres"] as const);
const cluster = wanted.includes("postgres") && programs ? await createCluster(programs) : undefined;
try {
  for (const engine of wanted) {
    if (engine === "postgres" && !cluster) process.stderr.write("PostgreSQL was not found: not measured.\n");
    else await (asked.has("--growth") ? growth : compare)(engine, cluster?.url());
  }
} finally {
  await cluster?.remove();
}
