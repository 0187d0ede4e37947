import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import type { EngineName } from "../test/support/engines.ts";
import { insertPostsWithAssets, median, createBench, measureMs } from "./asset-fixture.ts";
import { drawCurves, type Curve } from "./plot.ts";

/**
 * Measures calls in studios with a hundred to a million assets, for the charts in docs/performance.md.
 *   node bench/growth.ts [--max=1000000] [--write]    --write updates the charts in docs/images
 */

const maxCount = Number(process.argv.find((arg) => arg.startsWith("--max="))?.slice("--max=".length) ?? 1_000_000);
const shouldWriteCharts = process.argv.includes("--write");
const rounds = 200;
const counts = [100, 1000, 10_000, 100_000, 1_000_000].filter((count) => count <= maxCount);

interface Studio {
  count: number;
  calls: Record<string, () => Promise<unknown>>;
  close(): Promise<void>;
}

async function createStudio(engine: EngineName, postgresUrl: string | undefined, count: number): Promise<Studio> {
  const bench = await createBench(engine, postgresUrl);
  const { deps, owner } = bench;
  const postId = await insertPostsWithAssets(bench, count);
  const { id: emptyPostId } = await createPost(deps, owner, { title: "Empty", body: "" });
  const file = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=" } as const;
  const ids = { postId: emptyPostId, assetId: (await uploadAssetInline(deps, owner, file)).assetId };
  return {
    count,
    close: bench.close,
    calls: {
      "attach, detach": async () => {
        await attachAsset(deps, owner, ids);
        await detachAsset(deps, owner, ids);
      },
      "get_post, 20 assets": () => getPost(deps, owner, { postId }),
      list_assets: () => listAssets(deps, owner, { limit: 20 }),
      "list_assets, unattached": () => listAssets(deps, owner, { limit: 20, unattached: true, kind: "video" }),
    },
  };
}

/** Measures one call per studio in each round, so that other load on the machine affects all of them. */
async function measure(engine: EngineName, postgresUrl: string | undefined): Promise<Curve[]> {
  const studios: Studio[] = [];
  for (const count of counts) studios.push(await createStudio(engine, postgresUrl, count));
  const curves = [];
  for (const name of Object.keys(studios[0]?.calls ?? {})) {
    const times = new Map<Studio, number[]>(studios.map((studio) => [studio, []]));
    for (let round = -50; round < rounds; round++) {
      for (const studio of studios) {
        const ms = await measureMs(studio.calls[name] ?? (async () => {}));
        if (round >= 0) times.get(studio)?.push(ms);
      }
    }
    const points = [...times].map(([{ count }, values]) => [count, median(values)] as const);
    const smallestMs = points[0]?.[1] ?? 0;
    for (const [count, ms] of points) {
      process.stdout.write(
        `${`${name}, ${engine}, ${count} assets`.padEnd(52)} ours ${ms.toFixed(3).padStart(9)} ms   limit ${"-".padStart(6)}   ${`${counts[0]} assets`.padEnd(22)} ${smallestMs.toFixed(3).padStart(9)} ms   ${(ms / smallestMs).toFixed(2)} x\n`,
      );
    }
    curves.push({ name, points });
  }
  await Promise.all(studios.map((studio) => studio.close()));
  return curves;
}

const programFolder = findPostgres();
const cluster = programFolder ? await createPostgresCluster(programFolder, { fsync: "off" }) : undefined;
try {
  for (const engine of ["sqlite", ...(cluster ? (["postgres"] as const) : [])] as const) {
    const curves = await measure(engine, cluster?.url());
    if (!shouldWriteCharts) continue;
    const chart = join(import.meta.dirname, `../docs/images/growth-${engine}.svg`);
    writeFileSync(chart, drawCurves(`${engine}: milliseconds per call`, curves));
  }
} finally {
  await cluster?.remove();
}
