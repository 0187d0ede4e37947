import { createHash, randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { openDatabase } from "#db/open.ts";
import type { Database } from "#db/client.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { incomingKey } from "#domain/assets/keys.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { systemClock } from "#lib/clock.ts";
import { openDiskStore, type DiskStore } from "#storage/disk.ts";
import { createCluster, findPostgres } from "../test/support/cluster.ts";
import { createDeps, createPlace, silent, type EngineName } from "../test/support/engines.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { newStudio } from "../test/support/people.ts";
import { jpeg } from "../test/support/samples.ts";

/**
 * What files cost, and whether that grows with how many there are.
 *   node bench/assets.ts [sqlite] [postgres] [--assets=1000000]
 */

const wanted = process.argv.slice(2);
const large = Number(wanted.find((one) => one.startsWith("--assets="))?.slice(9) ?? 1_000_000);
const small = 100;
const chosen = (["sqlite", "postgres"] as const).filter(
  (engine) => !wanted.some((name) => name === "sqlite" || name === "postgres") || wanted.includes(engine),
);

const figures = { missed: false };

/** One line a measure: what, ours, the limit, the peer, and ours in terms of the peer's. */
function line(what: string, ours: number, limit: number | undefined, peer: string, theirs: number, unit: string): void {
  const ratio = ours / theirs;
  figures.missed ||= limit !== undefined && ratio > limit;
  const shown = [ours.toFixed(3).padStart(9), unit, "  limit", (limit ? `${limit} x` : "-").padStart(6)];
  process.stdout.write(
    `${what.padEnd(52)} ours ${shown.join(" ")}   ${peer.padEnd(22)} ${theirs.toFixed(3).padStart(9)} ${unit}   ${ratio.toFixed(2)} x\n`,
  );
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** By turns, so that whatever else the machine does falls on both. */
async function compare(
  rounds: number,
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    times[0].push(await timed(a));
    times[1].push(await timed(b));
  }
  return [median(times[0]), median(times[1])];
}

interface Bench {
  database: Database;
  deps: Deps;
  files: DiskStore;
  owner: Caller;
  url: string | undefined;
  close(): Promise<void>;
}

async function prepare(engine: EngineName, server: string | undefined): Promise<Bench> {
  const place = await createPlace(engine, server);
  const database = await openDatabase({ ...place, log: silent });
  const folder = temporaryFolder("atelier-bench-");
  const nowhere = async () => "http://localhost/nowhere";
  const addresses = { origin: "http://localhost", forUpload: nowhere, forDownload: nowhere, forPart: nowhere };
  const files = await openDiskStore({ root: folder.path, addresses, clock: systemClock, minFreeBytes: 0 });
  const deps: Deps = { ...createDeps(database, systemClock), files };
  const owner = await newStudio(deps);
  return {
    database,
    deps,
    files,
    owner,
    url: place.databaseUrl,
    async close() {
      await database.close();
      await place.remove();
      folder.remove();
    },
  };
}

/** Half of `count` assets on posts of twenty, the other half on none; written by the database itself. */
async function fill({ database, owner, url }: Bench, count: number): Promise<string> {
  const { q, engine } = database;
  const pad = (n: string) => (engine === "sqlite" ? `printf('%026d', ${n})` : `lpad((${n})::text, 26, '0')`);
  const series = (to: number) =>
    engine === "sqlite"
      ? `(WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n + 1 < ${to}) SELECT n FROM s)`
      : `(SELECT generate_series(0, ${to - 1}) AS n)`;
  const posts = Math.max(1, Math.floor(count / 40));
  // Far above what one statement may take while people wait, so not over the service's own connections.
  const client = url === undefined ? undefined : new pg.Client({ connectionString: url });
  await client?.connect();
  const write = async (text: string): Promise<void> =>
    void (await (client ? client.query(text) : sql.raw(text).execute(q)));
  await write("BEGIN");
  await write(
    `INSERT INTO posts (id, studio_id, title, body, status, revision, search_text, created_by, created_at, updated_at, asset_count, last_position)
       SELECT 'pst_' || ${pad("n")}, '${owner.studio.id}', 'Post', 'Body', 'draft', 1, 'post body', '${owner.user.id}', 1, 1, 20, 20 FROM ${series(posts)} AS t`,
  );
  for (let from = 0; from < count; from += 100_000) {
    const n = `(n + ${from})`;
    const onPost = `${n} < ${posts * 20}`;
    await write(
      `INSERT INTO assets (id, studio_id, post_id, position, kind, mime_type, filename, status, bytes, version, sha256, storage_key, charged_bytes, created_by, created_at)
         SELECT 'ast_' || ${pad(n)}, '${owner.studio.id}',
           CASE WHEN ${onPost} THEN 'pst_' || ${pad(`${n} / 20`)} END, CASE WHEN ${onPost} THEN ${n} % 20 + 1 END,
           CASE ${n} % 3 WHEN 0 THEN 'image' WHEN 1 THEN 'video' ELSE 'document' END, 'image/jpeg', 'file.jpg', 'ready',
           1000, 'v', 'd', 'files/' || ${pad(n)}, 1000, '${owner.user.id}', 1
         FROM ${series(Math.min(100_000, count - from))} AS t`,
    );
  }
  await write("COMMIT");
  await write("ANALYZE");
  await client?.end();
  const middle = Math.floor(posts / 2);
  return `pst_${String(middle).padStart(26, "0")}`;
}

async function measureInline(bench: Bench): Promise<void> {
  const content = randomBytes(4_900_000);
  content[0] = 0;
  const base64 = content.toString("base64");
  const folder = temporaryFolder("atelier-bench-");
  mkdirSync(join(folder.path, "to"));
  const bare = async (): Promise<void> => {
    const bytes = Buffer.from(base64, "base64");
    createHash("sha256").update(bytes).digest("hex");
    const path = join(folder.path, "x");
    const file = await open(path, "wx");
    await file.write(bytes);
    await file.sync();
    await file.close();
    await rename(path, join(folder.path, "to", "x"));
    await rm(join(folder.path, "to", "x"));
  };
  const ids: string[] = [];
  const input = { kind: "video", mimeType: "video/mp4", base64 } as const;
  const ours = async (): Promise<void> =>
    void ids.push((await uploadAssetInline(bench.deps, bench.owner, input)).assetId);
  await compare(3, ours, bare);
  const [mine, theirs] = await compare(30, ours, bare);
  line(`inline 4.9 MB (${bench.database.engine}, disk)`, mine, undefined, "decode, sha256, fsync", theirs, "ms");
  for (const assetId of ids) await deleteAsset(bench.deps, bench.owner, { assetId });
  folder.remove();
}

async function measureAttach(bench: Bench): Promise<void> {
  const { deps, owner, files, database } = bench;
  const post = await createPost(deps, owner, { title: "A", body: "" });
  const bytes = await jpeg(1000, 800);
  const { assetId } = await uploadAssetInline(deps, owner, {
    kind: "image",
    mimeType: "image/jpeg",
    base64: bytes.toString("base64"),
  });
  const roomy: Deps = { ...deps, limits: { ...deps.limits, assetsPerPost: 10_000 } };
  const cpu = async (times: number, work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / times;
  };
  const ready = async () => {
    await attachAsset(roomy, owner, { postId: post.id, assetId });
    await detachAsset(roomy, owner, { postId: post.id, assetId });
  };
  const requested: string[] = [];
  for (let i = 0; i < 200; i++) {
    const asked = await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/jpeg" });
    await files.write(incomingKey(asked.assetId), chunks(bytes), { mimeType: "image/jpeg", maxBytes: 10 ** 7 });
    requested.push(asked.assetId);
  }
  const write = () => deps.transact((tx) => tx.posts.update(owner.studio.id, post.id, { title: "B" }, undefined, 1));
  await cpu(100, ready);
  const bare = await cpu(200, write);
  line(`attach and detach, CPU (${database.engine})`, await cpu(200, ready), undefined, "one row updated", bare, "ms");
  const next = () => attachAsset(roomy, owner, { postId: post.id, assetId: requested.pop() ?? "" });
  line(
    `attach of an upload, CPU (${database.engine}, disk)`,
    await cpu(200, next),
    undefined,
    "one row updated",
    bare,
    "ms",
  );
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Ours: with very many assets. The peer is the same call with a hundred. */
async function measureGrowth(few: Bench, many: Bench, posts: { few: string; many: string }): Promise<void> {
  const limit = 1.5;
  const rounds = 300;
  const peer = `${small} assets`;
  const { engine } = many.database;
  const both = async (what: string, work: (bench: Bench, postId: string) => Promise<unknown>): Promise<void> => {
    for (const [bench, postId] of [
      [few, posts.few],
      [many, posts.many],
    ] as const) {
      for (let i = 0; i < 30; i++) await work(bench, postId);
    }
    const [ours, theirs] = await compare(
      rounds,
      () => work(many, posts.many),
      () => work(few, posts.few),
    );
    line(`${what} (${engine}, ${large})`, ours, limit, peer, theirs, "ms");
  };
  const free = new Map<Bench, { postId: string; assetId: string }>();
  for (const bench of [few, many]) {
    const { id } = await createPost(bench.deps, bench.owner, { title: "Empty", body: "" });
    const input = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=" } as const;
    free.set(bench, { postId: id, assetId: (await uploadAssetInline(bench.deps, bench.owner, input)).assetId });
  }
  await both("attach_asset, then detach_asset", async (bench) => {
    const pair = free.get(bench);
    if (!pair) return;
    await attachAsset(bench.deps, bench.owner, pair);
    await detachAsset(bench.deps, bench.owner, pair);
  });
  await both("get_post, 20 assets", ({ deps, owner }, postId) => getPost(deps, owner, { postId }));
  await both("list_assets", ({ deps, owner }) => listAssets(deps, owner, { limit: 20 }));
  await both("list_assets, unattached", ({ deps, owner }) => listAssets(deps, owner, { limit: 20, unattached: true }));
  await both("list_assets, kind", ({ deps, owner }) => listAssets(deps, owner, { limit: 20, kind: "video" }));
  await both("list_assets, kind and unattached", ({ deps, owner }) =>
    listAssets(deps, owner, { limit: 20, kind: "video", unattached: true }),
  );
  await both("what the sweeper looks for", ({ deps }) => deps.assets.listExpired(Date.now(), 100));
}

for (const engine of chosen) {
  const programs = engine === "postgres" ? findPostgres() : undefined;
  if (engine === "postgres" && !programs) continue;
  const cluster = programs ? await createCluster(programs, { fsync: "off" }) : undefined;
  try {
    const few = await prepare(engine, cluster?.url());
    const many = await prepare(engine, cluster?.url());
    await measureInline(few);
    await measureAttach(few);
    await measureGrowth(few, many, { few: await fill(few, small), many: await fill(many, large) });
    await few.close();
    await many.close();
  } finally {
    await cluster?.remove();
  }
}
process.exit(figures.missed ? 1 : 0);
