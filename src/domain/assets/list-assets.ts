import { z } from "zod";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { pageInput, parseCursor, toPage, type Page } from "../page.ts";
import { authorize } from "../policy.ts";
import { assetView, kindNames, toAssetView, type Asset, type AssetDetail } from "./model/asset.ts";
import { describeAssets } from "./model/describe-asset.ts";

export const listAssetsInput = z.strictObject({
  unattached: z.boolean().optional().describe("true: only assets that are not on a post."),
  kind: z.enum(kindNames).optional().describe("Only assets of this kind."),
  ...pageInput,
});

type Input = z.infer<typeof listAssetsInput>;

export const listAssetsOutput = z.object({ assets: z.array(assetView), nextCursor: z.string().nullable() });

/** Lists a studio's assets, newest first. Cursors stay valid while assets are added or removed. */
export async function listAssets(
  deps: Pick<Deps, "assets">,
  caller: Caller,
  input: Input,
): Promise<z.infer<typeof listAssetsOutput>> {
  const { items, nextCursor } = await readPage(deps, caller, input);
  return { assets: items.map(toAssetView), nextCursor };
}

/** The same list with URLs and media metadata, for the web app. */
export async function listAssetDetails(
  deps: Pick<Deps, "assets" | "files" | "signer" | "clock" | "base">,
  caller: Caller,
  input: Input,
): Promise<{ assets: AssetDetail[]; nextCursor: string | null }> {
  const { items, nextCursor } = await readPage(deps, caller, input);
  return { assets: await describeAssets(deps, items), nextCursor };
}

async function readPage(
  deps: Pick<Deps, "assets">,
  caller: Caller,
  { unattached, kind, limit, cursor }: Input,
): Promise<Page<Asset>> {
  authorize(caller, "assets.read");
  const listKey = `assets ${caller.studio.id} ${unattached ? "unattached" : ""} ${kind ?? ""}`;
  const rows = await deps.assets.list(caller.studio.id, {
    unattached,
    kind,
    before: parseCursor(cursor, listKey),
    limit: limit + 1,
  });
  return toPage(rows, limit, listKey);
}
