import type { Post } from "../api/queries.ts";

type Variant = Post["variants"][number];

/** Changes the text or the files of one account. `undefined` means those of the post. */
export function changeVariant(
  variants: readonly Variant[],
  connectionId: string,
  change: Partial<Pick<Variant, "body" | "assetIds">>,
): Variant[] {
  const variant = { ...variants.find((each) => each.connectionId === connectionId), ...change, connectionId };
  const others = variants.filter((each) => each.connectionId !== connectionId);
  return variant.body === undefined && variant.assetIds === undefined ? others : [...others, variant];
}
