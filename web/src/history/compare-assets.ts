import { diffArrays } from "diff";

/** An asset as a revision stores it. */
export interface RevisionAsset {
  id: string;
  kind: string;
  mimeType: string;
  filename: string;
  altText?: string | undefined;
}

export interface AssetChange {
  asset: RevisionAsset;
  kind: "added" | "removed" | "moved" | "alt text" | "name" | "crop";
  /** Only for the kinds `alt text` and `name`. */
  before?: string;
  after?: string;
}

export interface Crop {
  assetId: string;
  platform: string;
  x: number;
  y: number;
}

/** The files of a post, and how they are cropped. */
export interface PostFiles {
  assets: readonly RevisionAsset[];
  crops?: readonly Crop[] | undefined;
}

/** Lists the changes of assets between two revisions, in the order of the later revision. Removed assets come last. */
export function compareAssets(filesBefore: PostFiles, filesAfter: PostFiles): AssetChange[] {
  const [before, after] = [filesBefore.assets, filesAfter.assets];
  const assetsBefore = new Map(before.map((asset) => [asset.id, asset]));
  const idsAfter = new Set(after.map(({ id }) => id));
  const orderBefore = before.map(({ id }) => id).filter((id) => idsAfter.has(id));
  const orderAfter = after.map(({ id }) => id).filter((id) => assetsBefore.has(id));
  // The smallest set of assets whose moves produce the new order.
  const movedIds = new Set(diffArrays(orderBefore, orderAfter).flatMap(({ added, value }) => (added ? value : [])));
  const changes = after.flatMap((asset): AssetChange[] => {
    const assetBefore = assetsBefore.get(asset.id);
    if (!assetBefore) return [{ asset, kind: "added" }];
    const [altBefore, altAfter] = [assetBefore.altText ?? "", asset.altText ?? ""];
    return [
      ...(movedIds.has(asset.id) ? [{ asset, kind: "moved" } as const] : []),
      ...(altBefore === altAfter ? [] : [{ asset, kind: "alt text", before: altBefore, after: altAfter } as const]),
      ...(isNamePublic(asset) && assetBefore.filename !== asset.filename
        ? [{ asset, kind: "name", before: assetBefore.filename, after: asset.filename } as const]
        : []),
      ...(getCropsKey(filesBefore, asset.id) === getCropsKey(filesAfter, asset.id)
        ? []
        : [{ asset, kind: "crop" } as const]),
    ];
  });
  const removedAssets = before.filter(({ id }) => !idsAfter.has(id));
  return [...changes, ...removedAssets.map((asset): AssetChange => ({ asset, kind: "removed" }))];
}

/** Platforms show the name of a document, and of no other file. */
const isNamePublic = ({ kind }: RevisionAsset): boolean => kind === "document";

const getCropsKey = ({ crops = [] }: PostFiles, assetId: string): string =>
  crops
    .filter((crop) => crop.assetId === assetId)
    .map(({ platform, x, y }) => `${platform} ${x} ${y}`)
    .toSorted()
    .join();
