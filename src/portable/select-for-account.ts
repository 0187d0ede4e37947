/** What one account receives instead of the post's own text, or instead of all its files. */
interface Variant {
  connectionId: string;
  /** Undefined: the post's text. */
  body?: string | undefined;
  /** Undefined: all assets of the post. May name assets that are no longer on it. */
  assetIds?: readonly string[] | undefined;
  options?: Options | undefined;
  followUps?: readonly string[] | undefined;
}

type Options = Record<string, boolean | string | string[]>;

/** Selects the text, the assets and the options that an account receives from a post. The assets stay in the order of the post. */
export function selectForAccount<Asset extends { id: string }>(
  { body, variants, assets }: { body: string; variants: readonly Variant[]; assets: readonly Asset[] },
  connectionId: string,
): {
  body: string;
  assets: readonly Asset[];
  hasFileChoice: boolean;
  options: Options | undefined;
  followUps: readonly string[];
} {
  const variant = variants.find((each) => each.connectionId === connectionId);
  return {
    body: variant?.body ?? body,
    assets: selectAssets(assets, variant?.assetIds),
    hasFileChoice: variant?.assetIds !== undefined,
    options: variant?.options,
    followUps: variant?.followUps ?? [],
  };
}

/** Returns the assets with these ids; all of them if there are no ids. */
export function selectAssets<Asset extends { id: string }>(
  assets: readonly Asset[],
  assetIds: readonly string[] | undefined,
): readonly Asset[] {
  if (!assetIds) return assets;
  const selectedIds = new Set(assetIds);
  return assets.filter((asset) => selectedIds.has(asset.id));
}
