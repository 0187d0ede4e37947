import type { Post } from "../api/queries.ts";

type Variant = Post["variants"][number];

/** Changes the text, the files, the options or the follow-ups of one account. `undefined` means those of the post. */
export function changeVariant(
  variants: readonly Variant[],
  connectionId: string,
  change: Partial<Omit<Variant, "connectionId">>,
): Variant[] {
  const variant = { ...variants.find((each) => each.connectionId === connectionId), ...change, connectionId };
  const others = variants.filter((each) => each.connectionId !== connectionId);
  const hasOwnContent = Object.keys(variant).some(
    (name) => name !== "connectionId" && variant[name as keyof Variant] !== undefined,
  );
  return hasOwnContent ? [...others, variant] : others;
}
