import { sha256 } from "#lib/digest.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import { getBytesId, isReady, type Asset } from "../assets/model/asset.ts";
import type { Stores } from "../deps.ts";
import type { Post } from "../posts/post.ts";
import { getCrops } from "../renditions/crop.ts";
import type { CropPosition } from "../renditions/plan-layout.ts";
import type { Publication, PublicationContent } from "./ports.ts";

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
  const { body, assets: selectedAssets } = selectForAccount({ ...post, assets: assets.filter(isReady) }, connectionId);
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
  };
}

/**
 * Identifies what an approval covers, apart from the account and the time: a hash, followed by the keys of the files
 * without a SHA-256 digest. Processes of the previous version compare only the hash, so it contains the version of such
 * a file instead of its key.
 */
export function digestContent({ title, text, assets }: PublicationContent): string {
  const parts = assets.map(({ kind, digest, version = digest, altText, filename, crop }) => [
    version,
    altText,
    ...(crop ? [crop.x, crop.y] : []),
    // Platforms show the name of a document as its title.
    ...(kind === "document" ? [filename] : []),
  ]);
  const fileKeys = assets.filter(({ version }) => version !== undefined).map(({ digest }) => digest);
  return [sha256(JSON.stringify([title, text, parts])), ...fileKeys].join(" ");
}

/** The content that the platform receives: each rendition instead of its original. */
export function toSentContent({ assets, ...content }: PublicationContent): PublicationContent {
  return { ...content, assets: assets.map(({ rendition, ...asset }) => ({ ...asset, ...rendition })) };
}

export const isEmpty = ({ text, assets }: { text: string; assets: readonly unknown[] }): boolean =>
  text.trim() === "" && assets.length === 0;
