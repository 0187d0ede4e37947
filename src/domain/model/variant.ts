import { z } from "zod";
import { selectAssets } from "#portable/select-for-account.ts";
import { maxFollowUps } from "./publication-parts.ts";
import type { PostOptions } from "#portable/post-options.ts";
import { normalizeOptions, postOptions } from "./post-options.ts";
import { id, text } from "./text.ts";

export const bodyField = text(100_000);

/** What one account receives instead of the post's text or instead of all its files, and the options of its platform. */
export const variant = z.object({
  connectionId: z.string(),
  body: z.string().optional().describe("The text for this account. Absent: the post's body."),
  assetIds: z
    .array(z.string())
    .optional()
    .describe("The post's assets that this account receives, in the order of the post. Absent: all."),
  options: postOptions.optional(),
  followUps: z.array(z.string()).optional().describe("Published after it, each as a reply to the part before."),
});
export type Variant = z.infer<typeof variant>;

export const variantInput = z
  .strictObject({
    connectionId: id,
    body: bodyField.optional().describe("Replaces the post's body."),
    assetIds: z.array(id).max(1000).optional().describe("Only these of the post's assets, in the order of the post."),
    options: postOptions.optional().describe("From list_platforms with includeOptions."),
    followUps: z
      .array(bodyField)
      .max(maxFollowUps)
      .optional()
      .describe("A thread or first comment: replies to the part before."),
  })
  .refine(({ connectionId: _, ...values }) => Object.values(values).some((value) => value !== undefined), {
    message: "a body, assetIds, options or followUps",
  });

/**
 * Puts variants into the form in which they are stored, so that the same choice is stored equally. A variant that chooses
 * nothing is left out.
 */
export const normalizeVariants = (variants: readonly Variant[]): Variant[] =>
  variants
    .map(({ connectionId, body, assetIds, options, followUps }) => ({
      connectionId,
      ...(body === undefined ? {} : { body }),
      ...(assetIds && { assetIds: assetIds.toSorted() }),
      ...toProperty("options", normalizeOptions(options)),
      ...(followUps && followUps.length > 0 ? { followUps } : {}),
    }))
    .filter((each) => Object.keys(each).length > 1)
    .toSorted((a, b) => (a.connectionId < b.connectionId ? -1 : 1));

const toProperty = <Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> =>
  value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);

/** Sets the options of one account that `names` lists to these values, and removes the others of them. */
export function setOptions(
  variants: readonly Variant[],
  connectionId: string,
  names: readonly string[],
  values: PostOptions = {},
): Variant[] {
  const { options = {}, ...others } = variants.find((each) => each.connectionId === connectionId) ?? { connectionId };
  const otherOptions = Object.entries(options).filter(([name]) => !names.includes(name));
  const chosen = Object.entries(values).filter(([name]) => names.includes(name));
  return normalizeVariants([
    ...variants.filter((each) => each.connectionId !== connectionId),
    { ...others, options: Object.fromEntries([...otherOptions, ...chosen]) },
  ]);
}

/** Removes the other assets from the variants, because a chosen asset can leave the post. */
export const limitToAssets = (variants: readonly Variant[], assets: readonly { id: string }[]): Variant[] =>
  variants.map(({ assetIds, ...others }) =>
    assetIds ? { ...others, assetIds: selectAssets(assets, assetIds).map((asset) => asset.id) } : others,
  );
