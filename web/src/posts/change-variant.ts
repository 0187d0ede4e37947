/** Changes the text, the files, the options or the follow-ups of one account. `undefined` means those of the post. */
export function changeVariant<Variant extends { connectionId: string }>(
  variants: readonly Variant[],
  connectionId: string,
  change: { [Name in keyof Omit<Variant, "connectionId">]?: Variant[Name] | undefined },
): Variant[] {
  const variant = { ...variants.find((each) => each.connectionId === connectionId), ...change, connectionId };
  const others = variants.filter((each) => each.connectionId !== connectionId);
  const hasOwnContent = Object.keys(variant).some(
    (name) => name !== "connectionId" && (variant as Variant)[name as keyof Variant] !== undefined,
  );
  return hasOwnContent ? [...others, variant as Variant] : others;
}
