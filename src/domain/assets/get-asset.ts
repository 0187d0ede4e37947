import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { type AssetDetail, isReady, parseAssetId } from "../model/asset.ts";
import { parseKeyAssetId } from "../model/storage-keys.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { FileUse } from "../ports/assets.ts";
import type { Deps } from "../ports/deps.ts";
import { describeAsset, includeUrlsInput, needsUrls } from "../steps/describe-asset.ts";

export const getAssetInput = z.strictObject({
  assetId: id,
  includePreview: z.boolean().optional().describe("See the image, 512 px."),
  includeUrls: includeUrlsInput,
});

export async function getAsset(
  deps: Pick<Deps, "assets" | "files" | "signer" | "clock" | "baseUrl">,
  caller: Caller,
  input: z.infer<typeof getAssetInput>,
): Promise<AssetDetail> {
  authorize(caller, "assets.read");
  const asset = await deps.assets.find(caller.studio.id, parseAssetId(input.assetId));
  if (!asset) throw notFoundError("asset");
  return describeAsset(deps, asset, needsUrls(caller, input.includeUrls));
}

/**
 * Whether the asset that an upload URL writes to still exists outside the trash. The signature of the URL stays valid
 * after the asset is deleted.
 */
export async function hasAsset(deps: Pick<Deps, "assets">, key: string): Promise<boolean> {
  const [asset] = await deps.assets.findInAllStudios([parseKeyAssetId(key) ?? ""]);
  return asset?.trashExpiresAt === null;
}

/** The most copies that a result lists. */
const maxCopies = 50;
/** The asset itself, the listed copies, and one more, which shows that there are more copies. */
const maxUses = maxCopies + 2;

export interface AssetUsage extends AssetDetail {
  createdAt: string;
  createdBy: { id: string; name: string } | null;
  /** The name of the AI client that created the asset for the user. */
  createdThrough: string | null;
  post: { id: string; title: string } | null;
  /** The other assets that share the file. */
  copies: FileUse[];
  hasMoreCopies: boolean;
}

/** An asset, who created it, and where its file is used, for the web app. */
export async function getAssetUsage(
  deps: Pick<Deps, "assets" | "sharedFiles" | "posts" | "users" | "files" | "signer" | "clock" | "baseUrl">,
  caller: Caller,
  input: { assetId: string },
): Promise<AssetUsage> {
  authorize(caller, "assets.read");
  const studioId = caller.studio.id;
  const asset = await deps.assets.find(studioId, parseAssetId(input.assetId));
  if (!asset) throw notFoundError("asset");
  const [detail, creator, post, uses] = await Promise.all([
    describeAsset(deps, asset),
    deps.users.find(asset.createdBy),
    asset.postId === null ? undefined : deps.posts.find(studioId, asset.postId),
    isReady(asset) ? deps.sharedFiles.listAssets(studioId, asset.storageKey, maxUses) : [],
  ]);
  const copies = uses.filter(({ assetId }) => assetId !== asset.id);
  return {
    ...detail,
    createdAt: toIsoTime(asset.createdAt),
    createdBy: creator ? { id: creator.id, name: creator.name } : null,
    createdThrough: asset.createdByClientName,
    post: post ? { id: post.id, title: post.title } : null,
    copies: copies.slice(0, maxCopies),
    hasMoreCopies: copies.length > maxCopies,
  };
}
