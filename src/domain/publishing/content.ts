import { sha256 } from "#lib/digest.ts";
import { isReady, type Asset } from "../assets/model/asset.ts";
import type { Post } from "../posts/post.ts";
import type { Publication, PublicationContent } from "./ports.ts";

/** The text that an account receives: its variant, otherwise the body. */
export function getTextFor({ body, variants }: Pick<Post, "body" | "variants">, connectionId: string): string {
  return variants.find((variant) => variant.connectionId === connectionId)?.body ?? body;
}

/** What an account receives if the post is published as it is. */
export function buildContent(
  { connectionId, includesTitle }: Pick<Publication, "connectionId" | "includesTitle">,
  post: Post,
  assets: readonly Asset[],
): PublicationContent {
  return {
    title: includesTitle ? post.title : null,
    text: getTextFor(post, connectionId),
    assets: assets.filter(isReady).map((asset) => ({
      id: asset.id,
      kind: asset.kind,
      mimeType: asset.mimeType,
      filename: asset.filename,
      bytes: asset.bytes,
      storageKey: asset.storageKey,
      digest: asset.sha256 ?? asset.version,
      altText: asset.altText,
      width: asset.width,
      height: asset.height,
    })),
  };
}

/** Identifies what an approval covers, apart from the account and the time. */
export function digestContent({ title, text, assets }: PublicationContent): string {
  return sha256(JSON.stringify([title, text, assets.map(({ digest, altText }) => [digest, altText])]));
}

export const isEmpty = ({ text, assets }: { text: string; assets: readonly unknown[] }): boolean =>
  text.trim() === "" && assets.length === 0;
