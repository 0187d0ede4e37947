import { hours, minutes } from "#lib/clock.ts";
import type { Deps } from "../../deps.ts";
import { isReady, toListedAssetView, type Asset, type AssetDetail, type ReadyAsset } from "./asset.ts";
import { canHaveThumbnail } from "./media-metadata.ts";

const urlLifetime = hours(1);
/** Within this time results contain the same thumbnail URL, so that browsers can cache the image. */
const urlStabilityWindow = minutes(10);

type DescribeDeps = Pick<Deps, "files" | "signer" | "clock" | "base">;

/** The asset with its tags, alt text, media metadata and URLs. */
export async function describeAsset(deps: DescribeDeps, asset: Asset): Promise<AssetDetail> {
  const { altText, width, height, durationMs } = asset;
  return {
    ...toListedAssetView(asset),
    ...(isReady(asset) ? await createUrls(deps, asset) : {}),
    ...(altText === null ? {} : { altText }),
    ...(width === null ? {} : { width }),
    ...(height === null ? {} : { height }),
    ...(durationMs === null ? {} : { durationMs }),
  };
}

export function describeAssets(deps: DescribeDeps, assets: readonly Asset[]): Promise<AssetDetail[]> {
  return Promise.all(assets.map((asset) => describeAsset(deps, asset)));
}

async function createUrls(deps: DescribeDeps, asset: ReadyAsset): Promise<Pick<AssetDetail, "url" | "thumbnailUrl">> {
  const expiresAt = Math.ceil((deps.clock() + urlLifetime) / urlStabilityWindow) * urlStabilityWindow;
  const { storageKey, mimeType, filename, kind } = asset;
  // Browsers show images and videos inline; documents, text in particular, are always downloads.
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
