import { hours, minutes } from "#lib/clock.ts";
import type { Deps } from "../../deps.ts";
import { isReady, toAssetView, type Asset, type AssetDetail, type ReadyAsset } from "./asset.ts";
import { canHaveThumbnail } from "./media-metadata.ts";

/** How long an address in a result can be read from. */
const urlLifetime = hours(1);
/** Answers within this give the same address of a thumbnail, so that a browser need not load it again. */
const urlStabilityWindow = minutes(10);

type Needs = Pick<Deps, "files" | "signer" | "clock" | "base">;

/** The asset with everything that is known of it, and addresses to read it from. */
export async function describeAsset(deps: Needs, asset: Asset): Promise<AssetDetail> {
  const { altText, width, height, durationMs } = asset;
  return {
    ...toAssetView(asset),
    ...(isReady(asset) ? await createUrls(deps, asset) : {}),
    ...(altText === null ? {} : { altText }),
    ...(width === null ? {} : { width }),
    ...(height === null ? {} : { height }),
    ...(durationMs === null ? {} : { durationMs }),
  };
}

export function describeAssets(deps: Needs, assets: readonly Asset[]): Promise<AssetDetail[]> {
  return Promise.all(assets.map((asset) => describeAsset(deps, asset)));
}

async function createUrls(deps: Needs, asset: ReadyAsset): Promise<Pick<AssetDetail, "url" | "thumbnailUrl">> {
  const expiresAt = Math.ceil((deps.clock() + urlLifetime) / urlStabilityWindow) * urlStabilityWindow;
  const { storageKey, mimeType, filename, kind } = asset;
  // Only pictures and videos are shown where they are; everything else, text above all, is a download.
  const url = await deps.files.createDownloadUrl(storageKey, {
    mimeType,
    filename,
    asDownload: kind === "document",
    expiresAt,
  });
  if (!canHaveThumbnail(mimeType)) return { url };
  const token = deps.signer.sign("thumbnail", { studio: asset.studioId, asset: asset.id }, expiresAt);
  return { url, thumbnailUrl: `${deps.base}/files/thumb/${token}` };
}
