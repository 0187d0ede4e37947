import { selectForAccount } from "#portable/select-for-account.ts";
import { type Asset, getBytesId, isReady } from "../model/asset.ts";
import type { Post } from "../model/post.ts";
import type { PublicationContent } from "../model/publication-content.ts";
import type { Publication } from "../model/publication.ts";
import { getCrops } from "../model/renditions/crop.ts";
import type { CropPosition } from "../model/renditions/plan-layout.ts";
import type { Stores } from "../ports/deps.ts";

/** What an account would receive if the post were published now, before its images are converted. */
export async function readContent(
  tx: Pick<Stores, "platformStore">,
  publication: Pick<Publication, "studioId" | "connectionId" | "includesTitle">,
  post: Post,
  assets: readonly Asset[],
): Promise<PublicationContent> {
  const { studioId, connectionId } = publication;
  const connection = post.crops.length === 0 ? undefined : await tx.platformStore.find(studioId, connectionId);
  return buildContent(publication, post, assets, getCrops(post.crops, connection?.platform ?? ""));
}

function buildContent(
  { connectionId, includesTitle }: Pick<Publication, "connectionId" | "includesTitle">,
  post: Post,
  assets: readonly Asset[],
  crops: ReadonlyMap<string, CropPosition>,
): PublicationContent {
  const {
    body,
    assets: selectedAssets,
    options,
    followUps,
  } = selectForAccount({ ...post, assets: assets.filter(isReady) }, connectionId);
  return {
    title: includesTitle ? post.title : null,
    text: body,
    assets: selectedAssets.map((asset) => ({
      id: asset.id,
      kind: asset.kind,
      mimeType: asset.mimeType,
      filename: asset.filename,
      bytes: asset.bytes,
      storageKey: asset.storageKey,
      digest: getBytesId(asset),
      ...(asset.sha256 === null ? { version: asset.version } : {}),
      altText: asset.altText,
      width: asset.width,
      height: asset.height,
      ...(crops.has(asset.id) ? { crop: crops.get(asset.id) } : {}),
    })),
    ...(options && { options }),
    ...(followUps.length > 0 ? { followUps } : {}),
  };
}
