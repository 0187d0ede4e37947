import { diffArrays } from "diff";

/** An asset as a revision keeps it. */
export interface RevisionAsset {
  id: string;
  mimeType: string;
  filename: string;
  altText?: string | undefined;
}

export interface AssetChange {
  asset: RevisionAsset;
  kind: "added" | "removed" | "moved" | "alt text";
  /** For alt text. */
  before?: string;
  after?: string;
}

/** What happened to the assets between two revisions, in their later order; removed ones last. */
export function compareAssets(before: readonly RevisionAsset[], after: readonly RevisionAsset[]): AssetChange[] {
  const assetsBefore = new Map(before.map((asset) => [asset.id, asset]));
  const idsAfter = new Set(after.map(({ id }) => id));
  const orderBefore = before.map(({ id }) => id).filter((id) => idsAfter.has(id));
  const orderAfter = after.map(({ id }) => id).filter((id) => assetsBefore.has(id));
  // The fewest assets whose move explains the new order.
  const movedIds = new Set(diffArrays(orderBefore, orderAfter).flatMap(({ added, value }) => (added ? value : [])));
  const changes = after.flatMap((asset): AssetChange[] => {
    const earlier = assetsBefore.get(asset.id);
    if (!earlier) return [{ asset, kind: "added" }];
    const [altBefore, altAfter] = [earlier.altText ?? "", asset.altText ?? ""];
    return [
      ...(movedIds.has(asset.id) ? [{ asset, kind: "moved" } as const] : []),
      ...(altBefore === altAfter ? [] : [{ asset, kind: "alt text", before: altBefore, after: altAfter } as const]),
    ];
  });
  const removed = before.filter(({ id }) => !idsAfter.has(id));
  return [...changes, ...removed.map((asset): AssetChange => ({ asset, kind: "removed" }))];
}
