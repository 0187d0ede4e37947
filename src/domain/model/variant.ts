import { z } from "zod";
import { selectAssets } from "#portable/select-for-account.ts";
import { id, text } from "./text.ts";

export const bodyField = text(100_000);

/** What one account receives instead of the post's text or instead of all its files. */
export const variant = z.object({
  connectionId: z.string(),
  body: z.string().optional().describe("The text for this account. Absent: the post's body."),
  assetIds: z
    .array(z.string())
    .optional()
    .describe("The post's assets that this account receives, in the order of the post. Absent: all."),
});
export type Variant = z.infer<typeof variant>;

export const variantInput = z
  .strictObject({
    connectionId: id,
    body: bodyField.optional().describe("Replaces the post's body."),
    assetIds: z.array(id).max(1000).optional().describe("Only these of the post's assets, in the order of the post."),
  })
  .refine(({ body, assetIds }) => body !== undefined || assetIds !== undefined, {
    message: "a body, assetIds or both",
  });

/** Puts variants into the order in which they are stored, so that the same choice is stored equally. */
export const normalizeVariants = (variants: readonly Variant[]): Variant[] =>
  variants
    .map(({ assetIds, ...others }) => ({ ...others, ...(assetIds && { assetIds: assetIds.toSorted() }) }))
    .toSorted((a, b) => (a.connectionId < b.connectionId ? -1 : 1));

/** Removes the other assets from the variants, because a chosen asset can leave the post. */
export const limitToAssets = (variants: readonly Variant[], assets: readonly { id: string }[]): Variant[] =>
  variants.map(({ assetIds, ...others }) =>
    assetIds ? { ...others, assetIds: selectAssets(assets, assetIds).map((asset) => asset.id) } : others,
  );
