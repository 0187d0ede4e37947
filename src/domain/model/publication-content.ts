import { sha256 } from "#lib/digest.ts";
import type { RevisionAsset } from "./asset.ts";
import type { PostOptions } from "#portable/post-options.ts";
import type { CropPosition } from "./renditions/plan-layout.ts";

/**
 * Identifies what an approval covers, apart from the account and the time: a hash, followed by the keys of the files
 * without a SHA-256 digest. Processes of the previous version compare only the hash, so it contains the version of such
 * a file instead of its key.
 */
export function digestContent({ title, text, assets, options, followUps }: PublicationContent): string {
  const parts = assets.map(({ kind, digest, version = digest, altText, filename, crop }) => [
    version,
    altText,
    ...(crop ? [crop.x, crop.y] : []),
    // Platforms show the name of a document as its title.
    ...(kind === "document" ? [filename] : []),
  ]);
  const fileKeys = assets.filter(({ version }) => version !== undefined).map(({ digest }) => digest);
  return [
    sha256(JSON.stringify([title, text, parts, ...(options || followUps ? [options ?? {}, followUps ?? []] : [])])),
    ...fileKeys,
  ].join(" ");
}

/** The content that the platform receives: each rendition instead of its original. */
export function withRenditions({ assets, ...content }: PublicationContent): PublicationContent {
  return { ...content, assets: assets.map(({ rendition, ...asset }) => ({ ...asset, ...rendition })) };
}

export const isEmpty = ({ text, assets }: { text: string; assets: readonly unknown[] }): boolean =>
  text.trim() === "" && assets.length === 0;

/** What an account receives. Stored when the run starts, so that later edits don't change it. */
export interface PublicationContent {
  /** Null for platforms whose posts have no title. */
  title: string | null;
  text: string;
  assets: ContentAsset[];
  /** Absent if none is chosen. */
  options?: PostOptions | undefined;
  /** The texts of the parts that follow, each a reply to the part before. Absent if there are none. */
  followUps?: readonly string[] | undefined;
}

export interface ContentAsset extends RevisionAsset {
  bytes: number;
  storageKey: string;
  /** Identifies the bytes: their SHA-256 digest, or the key of the stored file. */
  digest: string;
  /** The store's version of a file without a SHA-256 digest. */
  version?: string | undefined;
  /** In pixels, as displayed. */
  width?: number | null | undefined;
  height?: number | null | undefined;
  /** Which part is kept if the platform does not accept the aspect ratio. Without a crop, the image is padded. */
  crop?: CropPosition | undefined;
  /** The file that the platform receives instead of this one. */
  rendition?: Pick<ContentAsset, "mimeType" | "filename" | "bytes" | "storageKey" | "width" | "height"> | undefined;
}
