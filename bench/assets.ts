import { createHash, randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { incomingKey } from "#domain/assets/model/storage-keys.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createTempFolder } from "../test/support/temp-folder.ts";
import { jpeg } from "../test/support/samples.ts";
import { compareMedians, insertAssets, createBenchFixture, type BenchFixture } from "./asset-fixture.ts";

/**
 * What files cost, and whether that grows with how many there are.
 *   node bench/assets.ts [sqlite] [postgres] [--assets=1000000]
 */

const args = process.argv.slice(2);
const large = Number(args.find((argument) => argument.startsWith("--assets="))?.slice(9) ?? 1_000_000);
const small = 100;
const selectedEngines = (["sqlite", "postgres"] as const).filter(
  (engine) => !args.some((name) => name === "sqlite" || name === "postgres") || args.includes(engine),
);

const results = { missed: false };

/** One line a measure: what, ours, the limit, the peer, and ours in terms of the peer's. */
function printLine(
  label: string,
  ourValue: number,
  limit: number | undefined,
  peer: string,
  peerValue: number,
  unit: string,
): void {
  const ratio = ourValue / peerValue;
  results.missed ||= limit !== undefined && ratio > limit;
  const columns = [ourValue.toFixed(3).padStart(9), unit, "  limit", (limit ? `${limit} x` : "-").padStart(6)];
  process.stdout.write(
    `${label.padEnd(52)} ours ${columns.join(" ")}   ${peer.padEnd(22)} ${peerValue.toFixed(3).padStart(9)} ${unit}   ${ratio.toFixed(2)} x\n`,
  );
}

async function measureInline(fixture: BenchFixture): Promise<void> {
  const content = randomBytes(4_900_000);
  content[0] = 0;
  const base64 = content.toString("base64");
  const folder = createTempFolder("atelier-bench-");
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
  const ourValue = async (): Promise<void> =>
    void ids.push((await uploadAssetInline(fixture.deps, fixture.owner, input)).assetId);
  await compareMedians(3, ourValue, bare);
  const [ourMedian, peerValue] = await compareMedians(30, ourValue, bare);
  printLine(
    `inline 4.9 MB (${fixture.database.engine}, disk)`,
    ourMedian,
    undefined,
    "decode, sha256, fsync",
    peerValue,
    "ms",
  );
  for (const assetId of ids) await deleteAsset(fixture.deps, fixture.owner, { assetId });
  folder.remove();
}

async function measureAttach(fixture: BenchFixture): Promise<void> {
  const { deps, owner, files, database } = fixture;
  const post = await createPost(deps, owner, { title: "A", body: "" });
  const bytes = await jpeg(1000, 800);
  const { assetId } = await uploadAssetInline(deps, owner, {
    kind: "image",
    mimeType: "image/jpeg",
    base64: bytes.toString("base64"),
  });
  const depsWithoutLimit: Deps = { ...deps, limits: { ...deps.limits, assetsPerPost: 10_000 } };
  const measureCpuMs = async (times: number, work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / times;
  };
  const ready = async () => {
    await attachAsset(depsWithoutLimit, owner, { postId: post.id, assetId });
    await detachAsset(depsWithoutLimit, owner, { postId: post.id, assetId });
  };
  const requested: string[] = [];
  for (let i = 0; i < 200; i++) {
    const requestedUpload = await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/jpeg" });
    await files.write(incomingKey(requestedUpload.assetId), chunks(bytes), {
      mimeType: "image/jpeg",
      maxBytes: 10 ** 7,
    });
    requested.push(requestedUpload.assetId);
  }
  const write = () => deps.transact((tx) => tx.posts.update(owner.studio.id, post.id, { title: "B" }, undefined, 1));
  await measureCpuMs(100, ready);
  const bare = await measureCpuMs(200, write);
  printLine(
    `attach and detach, CPU (${database.engine})`,
    await measureCpuMs(200, ready),
    undefined,
    "one row updated",
    bare,
    "ms",
  );
  const next = () => attachAsset(depsWithoutLimit, owner, { postId: post.id, assetId: requested.pop() ?? "" });
  printLine(
    `attach of an upload, CPU (${database.engine}, disk)`,
    await measureCpuMs(200, next),
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
async function measureGrowth(
  smallFixture: BenchFixture,
  largeFixture: BenchFixture,
  posts: { few: string; many: string },
): Promise<void> {
  const limit = 1.5;
  const rounds = 300;
  const peer = `${small} assets`;
  const { engine } = largeFixture.database;
  const measureBoth = async (
    label: string,
    work: (fixture: BenchFixture, postId: string) => Promise<unknown>,
  ): Promise<void> => {
    for (const [fixture, postId] of [
      [smallFixture, posts.few],
      [largeFixture, posts.many],
    ] as const) {
      for (let i = 0; i < 30; i++) await work(fixture, postId);
    }
    const [ourValue, peerValue] = await compareMedians(
      rounds,
      () => work(largeFixture, posts.many),
      () => work(smallFixture, posts.few),
    );
    printLine(`${label} (${engine}, ${large})`, ourValue, limit, peer, peerValue, "ms");
  };
  const freeAssets = new Map<BenchFixture, { postId: string; assetId: string }>();
  for (const fixture of [smallFixture, largeFixture]) {
    const { id } = await createPost(fixture.deps, fixture.owner, { title: "Empty", body: "" });
    const input = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=" } as const;
    freeAssets.set(fixture, {
      postId: id,
      assetId: (await uploadAssetInline(fixture.deps, fixture.owner, input)).assetId,
    });
  }
  await measureBoth("attach_asset, then detach_asset", async (fixture) => {
    const pair = freeAssets.get(fixture);
    if (!pair) return;
    await attachAsset(fixture.deps, fixture.owner, pair);
    await detachAsset(fixture.deps, fixture.owner, pair);
  });
  await measureBoth("get_post, 20 assets", ({ deps, owner }, postId) => getPost(deps, owner, { postId }));
  await measureBoth("list_assets", ({ deps, owner }) => listAssets(deps, owner, { limit: 20 }));
  await measureBoth("list_assets, unattached", ({ deps, owner }) =>
    listAssets(deps, owner, { limit: 20, unattached: true }),
  );
  await measureBoth("list_assets, kind", ({ deps, owner }) => listAssets(deps, owner, { limit: 20, kind: "video" }));
  await measureBoth("list_assets, kind and unattached", ({ deps, owner }) =>
    listAssets(deps, owner, { limit: 20, kind: "video", unattached: true }),
  );
  await measureBoth("what the sweeper looks for", ({ deps }) => deps.assets.listExpired(Date.now(), 100));
}

for (const engine of selectedEngines) {
  const programs = engine === "postgres" ? findPostgres() : undefined;
  if (engine === "postgres" && !programs) continue;
  const cluster = programs ? await createPostgresCluster(programs, { fsync: "off" }) : undefined;
  try {
    const smallFixture = await createBenchFixture(engine, cluster?.url());
    const largeFixture = await createBenchFixture(engine, cluster?.url());
    await measureInline(smallFixture);
    await measureAttach(smallFixture);
    await measureGrowth(smallFixture, largeFixture, {
      few: await insertAssets(smallFixture, small),
      many: await insertAssets(largeFixture, large),
    });
    await smallFixture.close();
    await largeFixture.close();
  } finally {
    await cluster?.remove();
  }
}
process.exit(results.missed ? 1 : 0);
