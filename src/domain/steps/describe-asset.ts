import { z } from "zod";
import { hours, minutes } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import {
  type Asset,
  type AssetDetail,
  canHaveThumbnail,
  isReady,
  type ReadyAsset,
  toAssetDetail,
} from "../model/asset.ts";
import type { Deps } from "../ports/deps.ts";
import { getDownloadName } from "./content/filename.ts";

const urlLifetime = hours(1);
/** An asset's thumbnail URL stays the same for this long, so that browsers can cache the image. */
const urlStabilityWindow = minutes(10);

export const includeUrlsInput = z.boolean().optional().describe("Also return URLs of files, valid for one hour.");

/** The web app always needs URLs, to show files. AI clients pay for every byte of a result, so they ask for URLs. */
export const needsUrls = (caller: Caller, includeUrls = false): boolean => !caller.client || includeUrls;

export type ThumbnailUrlDeps = Pick<Deps, "signer" | "clock" | "baseUrl">;
type DescribeDeps = ThumbnailUrlDeps & Pick<Deps, "files">;

/** Returns the asset with its tags, alt text and media metadata, and with URLs if `shouldIncludeUrls`. */
export async function describeAsset(deps: DescribeDeps, asset: Asset, shouldIncludeUrls = true): Promise<AssetDetail> {
  const detail = toAssetDetail(asset);
  return shouldIncludeUrls && isReady(asset) ? { ...detail, ...(await createUrls(deps, asset)) } : detail;
}

export function describeAssets(
  deps: DescribeDeps,
  assets: readonly Asset[],
  shouldIncludeUrls = true,
): Promise<AssetDetail[]> {
  return Promise.all(assets.map((asset) => describeAsset(deps, asset, shouldIncludeUrls)));
}

async function createUrls(deps: DescribeDeps, asset: ReadyAsset): Promise<Pick<AssetDetail, "url" | "thumbnailUrl">> {
  const { storageKey, mimeType, filename, kind } = asset;
  // Browsers show images and videos inline, but always download documents, even plain text.
  const url = await deps.files.createDownloadUrl(storageKey, {
    mimeType,
    filename: getDownloadName(filename, mimeType),
    asDownload: kind === "document",
    expiresAt: getUrlExpiry(deps),
  });
  const thumbnailUrl = createThumbnailUrl(deps, asset);
  return { url, ...(thumbnailUrl === undefined ? {} : { thumbnailUrl }) };
}

/** Returns the URL of a ready asset's thumbnail; undefined if files of its type have no thumbnail. */
export function createThumbnailUrl(
  deps: ThumbnailUrlDeps,
  { id, studioId, mimeType }: Pick<Asset, "id" | "studioId" | "mimeType">,
): string | undefined {
  if (!canHaveThumbnail(mimeType)) return undefined;
  const token = deps.signer.sign("thumbnail", { studio: studioId, asset: id }, getUrlExpiry(deps));
  return `${deps.baseUrl}/files/thumb/${token}`;
}

export const getUrlExpiry = ({ clock }: Pick<Deps, "clock">): number =>
  Math.ceil((clock() + urlLifetime) / urlStabilityWindow) * urlStabilityWindow;
