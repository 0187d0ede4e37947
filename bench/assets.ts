import { createHash, randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { incomingKey } from "#domain/assets/keys.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { createCluster, findPostgres } from "../test/support/cluster.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { jpeg } from "../test/support/samples.ts";
import { compare, fill, prepare, type Bench } from "./asset-bed.ts";

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
