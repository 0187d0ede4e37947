import { writes } from "#domain/ports/write-stores.ts";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { incomingKey } from "#domain/model/storage-keys.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createTempFolder } from "../test/support/temp-folder.ts";
import { jpeg } from "../test/support/samples.ts";
import { measureMedians, insertPostsWithAssets, createBench, type Bench } from "./asset-fixture.ts";
import { createReport } from "./report.ts";

/**
 * Measures file operations, and whether they slow down with the number of assets.
 *   node bench/assets.ts [sqlite] [postgres] [--assets=1000000]
 */

const args = process.argv.slice(2);
const largeCount = Number(args.find((arg) => arg.startsWith("--assets="))?.slice(9) ?? 1_000_000);
const smallCount = 100;
const engines = (["sqlite", "postgres"] as const).filter(
  (engine) => !args.some((arg) => arg === "sqlite" || arg === "postgres") || args.includes(engine),
);

const report = createReport({ fractionDigits: 3 });

async function measureInlineUpload(bench: Bench): Promise<void> {
  const content = randomBytes(4_900_000);
  content[0] = 0;
  const base64 = content.toString("base64");
  const folder = createTempFolder("atelier-bench-");
  mkdirSync(join(folder.path, "to"));
  const runBaseline = async (): Promise<void> => {
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
  const runOurs = async (): Promise<void> =>
    void ids.push((await uploadAssetInline(bench.deps, bench.owner, input)).assetId);
  await measureMedians(3, runOurs, runBaseline);
  const [ours, baseline] = await measureMedians(30, runOurs, runBaseline);
  report.printLine(
    `inline 4.9 MB (${bench.database.engine}, disk)`,
    ours,
    bench.database.engine === "sqlite" ? 0.76 : 1.1,
    "decode, sha256, fsync",
    baseline,
    "ms",
  );
  for (const assetId of ids) await deleteAsset(bench.deps, bench.owner, { assetId });
  folder.remove();
}

async function measureAttach(bench: Bench): Promise<void> {
  const { deps, owner, files, database } = bench;
  const warmUpCount = 100;
  let { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
  const firstPostId = postId;
  const bytes = await jpeg(1000, 800);
  const { assetId } = await uploadAssetInline(deps, owner, {
    kind: "image",
    mimeType: "image/jpeg",
    base64: bytes.toString("base64"),
  });
  const measureCpu = async (times: number, work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / times;
  };
  const attachAndDetach = async () => {
    await attachAsset(deps, owner, { postId: firstPostId, assetId });
    await detachAsset(deps, owner, { postId: firstPostId, assetId });
  };
  const attachInputs: { postId: string; assetId: string }[] = [];
  for (let i = 0; i < warmUpCount + 200; i++) {
    if (i % deps.limits.assetsPerPost === 0) postId = (await createPost(deps, owner, { title: "A", body: "" })).id;
    const upload = await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/jpeg" });
    await files.write(incomingKey(upload.assetId), toChunks(bytes), { mimeType: "image/jpeg", maxBytes: 10 ** 7 });
    attachInputs.push({ postId, assetId: upload.assetId });
  }
  const updateRow = () =>
    deps.transact({ job: "benchmark" }, (tx) =>
      tx[writes].posts.update(owner.studio.id, firstPostId, { title: "B" }, { now: 1 }),
    );
  await measureCpu(warmUpCount, attachAndDetach);
  const baselineMs = await measureCpu(200, updateRow);
  const attachDetachMs = await measureCpu(200, attachAndDetach);
  report.printLine(
    `attach and detach, CPU (${database.engine})`,
    attachDetachMs,
    database.engine === "sqlite" ? 5.3 : 7.1,
    "one row update",
    baselineMs,
    "ms",
  );
  const attachNext = async () => {
    const input = attachInputs.pop();
    if (input) await attachAsset(deps, owner, input);
  };
  await measureCpu(warmUpCount, attachNext);
  const attachMs = await measureCpu(200, attachNext);
  report.printLine(
    `attach an uploaded file, CPU (${database.engine}, disk)`,
    attachMs,
    database.engine === "sqlite" ? 16 : 10.8,
    "one row update",
    baselineMs,
    "ms",
  );
}

async function* toChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Compares a call in a large studio with the same call in a small one, the baseline. */
async function measureGrowth(
  smallBench: Bench,
  largeBench: Bench,
  postIds: { small: string; large: string },
): Promise<void> {
  const maxRatio = 1.2;
  const rounds = 300;
  const baselineName = `${smallCount} assets`;
  const { engine } = largeBench.database;
  const compareCall = async (name: string, work: (bench: Bench, postId: string) => Promise<unknown>): Promise<void> => {
    for (const [bench, postId] of [
      [smallBench, postIds.small],
      [largeBench, postIds.large],
    ] as const) {
      for (let i = 0; i < 30; i++) await work(bench, postId);
    }
    const [ours, baseline] = await measureMedians(
      rounds,
      () => work(largeBench, postIds.large),
      () => work(smallBench, postIds.small),
    );
    report.printLine(`${name} (${engine}, ${largeCount})`, ours, maxRatio, baselineName, baseline, "ms");
  };
  const attachInputs = new Map<Bench, { postId: string; assetId: string }>();
  for (const bench of [smallBench, largeBench]) {
    const { id } = await createPost(bench.deps, bench.owner, { title: "Empty", body: "" });
    const input = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=" } as const;
    attachInputs.set(bench, {
      postId: id,
      assetId: (await uploadAssetInline(bench.deps, bench.owner, input)).assetId,
    });
  }
  await compareCall("attach_asset, then detach_asset", async (bench) => {
    const input = attachInputs.get(bench);
    if (!input) return;
    await attachAsset(bench.deps, bench.owner, input);
    await detachAsset(bench.deps, bench.owner, input);
  });
  await compareCall("get_post, 20 assets", ({ deps, owner }, postId) => getPost(deps, owner, { postId }));
  await compareCall("list_assets", ({ deps, owner }) => listAssets(deps, owner, { limit: 20 }));
  await compareCall("list_assets, unattached", ({ deps, owner }) =>
    listAssets(deps, owner, { limit: 20, unattached: true }),
  );
  await compareCall("list_assets, kind", ({ deps, owner }) => listAssets(deps, owner, { limit: 20, kind: "video" }));
  await compareCall("list_assets, kind and unattached", ({ deps, owner }) =>
    listAssets(deps, owner, { limit: 20, kind: "video", unattached: true }),
  );
  await compareCall("the sweeper's query", ({ deps }) => deps.assets.listExpired(Date.now(), [], 100));
}

for (const engine of engines) {
  const programFolder = engine === "postgres" ? findPostgres() : undefined;
  if (engine === "postgres" && !programFolder) continue;
  const cluster = programFolder ? await createPostgresCluster(programFolder, { fsync: "off" }) : undefined;
  try {
    const smallBench = await createBench(engine, cluster?.url());
    const largeBench = await createBench(engine, cluster?.url());
    await measureInlineUpload(smallBench);
    await measureAttach(smallBench);
    await measureGrowth(smallBench, largeBench, {
      small: await insertPostsWithAssets(smallBench, smallCount),
      large: await insertPostsWithAssets(largeBench, largeCount),
    });
    await smallBench.close();
    await largeBench.close();
  } finally {
    await cluster?.remove();
  }
}
process.exit(report.hasExceededLimit ? 1 : 0);
