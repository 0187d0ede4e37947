import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import type { EngineName } from "../test/support/engines.ts";
import { insertAssets, median, createBenchFixture, measureMs } from "./asset-fixture.ts";
import { drawCurves, type Curve } from "./plot.ts";

/**
 * What calls take in studios of a hundred to a million assets, as curves for docs/performance.md.
 *   node bench/growth.ts [--most=1000000] [--write]    with --write, the pictures in docs/pictures are renewed
 */

const maxAssets = Number(process.argv.find((argument) => argument.startsWith("--most="))?.slice(7) ?? 1_000_000);
const shouldWriteSvg = process.argv.includes("--write");
const rounds = 200;
const counts = [100, 1000, 10_000, 100_000, 1_000_000].filter((count) => count <= maxAssets);

interface StudioFixture {
  count: number;
  operations: Record<string, () => Promise<unknown>>;
  close(): Promise<void>;
}

async function createStudioFixture(
  engine: EngineName,
  server: string | undefined,
  count: number,
): Promise<StudioFixture> {
  const fixture = await createBenchFixture(engine, server);
  const { deps, owner } = fixture;
  const postId = await insertAssets(fixture, count);
  const { id: emptyPostId } = await createPost(deps, owner, { title: "Empty", body: "" });
  const file = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=" } as const;
  const pair = { postId: emptyPostId, assetId: (await uploadAssetInline(deps, owner, file)).assetId };
  return {
    count,
    close: fixture.close,
    operations: {
      "attach, detach": async () => {
        await attachAsset(deps, owner, pair);
        await detachAsset(deps, owner, pair);
      },
      "get_post, 20 assets": () => getPost(deps, owner, { postId }),
      list_assets: () => listAssets(deps, owner, { limit: 20 }),
      "list_assets, unattached": () => listAssets(deps, owner, { limit: 20, unattached: true, kind: "video" }),
    },
  };
}

/** All sizes by turns, so that whatever else the machine does falls on all of them. */
async function measure(engine: EngineName, server: string | undefined): Promise<Curve[]> {
  const studios: StudioFixture[] = [];
  for (const count of counts) studios.push(await createStudioFixture(engine, server, count));
  const curves = [];
  for (const name of Object.keys(studios[0]?.operations ?? {})) {
    const times = new Map<StudioFixture, number[]>(studios.map((studio) => [studio, []]));
    for (let round = -50; round < rounds; round++) {
      for (const studio of studios) {
        const ms = await measureMs(studio.operations[name] ?? (async () => {}));
        if (round >= 0) times.get(studio)?.push(ms);
      }
    }
    const points = [...times].map(([{ count }, all]) => [count, median(all)] as const);
    const small = points[0]?.[1] ?? 0;
    for (const [count, ms] of points) {
      process.stdout.write(
        `${`${name}, ${engine}, ${count} assets`.padEnd(52)} ours ${ms.toFixed(3).padStart(9)} ms   limit ${"-".padStart(6)}   ${`${counts[0]} assets`.padEnd(22)} ${small.toFixed(3).padStart(9)} ms   ${(ms / small).toFixed(2)} x\n`,
      );
    }
    curves.push({ name, points });
  }
  await Promise.all(studios.map((studio) => studio.close()));
  return curves;
}

const programs = findPostgres();
const cluster = programs ? await createPostgresCluster(programs, { fsync: "off" }) : undefined;
try {
  for (const engine of ["sqlite", ...(cluster ? (["postgres"] as const) : [])] as const) {
    const curves = await measure(engine, cluster?.url());
    if (!shouldWriteSvg) continue;
    const svgPath = join(import.meta.dirname, `../docs/pictures/growth-${engine}.svg`);
    writeFileSync(svgPath, drawCurves(`${engine}: milliseconds a call`, curves));
  }
} finally {
  await cluster?.remove();
}
