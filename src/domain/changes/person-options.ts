import { isRequired, type PostOption } from "#portable/post-options.ts";
import { listPersonOptions } from "../model/post-options.ts";
import type { PublicationContent } from "../model/publication-content.ts";
import { setOptions, type Variant } from "../model/variant.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { Editor } from "./editor.ts";

type PersonOptionDeps = Pick<Deps, "platforms">;

/** The options of an account's platform; none if the account is unknown. */
async function listOptions(
  { platforms }: PersonOptionDeps,
  { platformStore }: Pick<Tx, "platformStore">,
  { studioId, connectionId }: { studioId: string; connectionId: string },
): Promise<readonly PostOption[]> {
  const connection = await platformStore.find(studioId, connectionId);
  return (connection && platforms.find(connection.platform)?.options) ?? [];
}

/** An AI client's new variants, with the options that only a person may choose as they are in the current ones. */
export async function keepPersonOptions(
  deps: PersonOptionDeps,
  tx: Tx,
  { studio }: Editor,
  currentVariants: readonly Variant[],
  newVariants: readonly Variant[],
): Promise<Variant[]> {
  const withOptions = [...currentVariants, ...newVariants].filter(({ options }) => options);
  let variants = [...newVariants];
  for (const connectionId of new Set(withOptions.map((variant) => variant.connectionId))) {
    const names = listPersonOptions(await listOptions(deps, tx, { studioId: studio.id, connectionId }));
    const { options } = currentVariants.find((variant) => variant.connectionId === connectionId) ?? {};
    variants = setOptions(variants, connectionId, names, options);
  }
  return variants;
}

/** Whether a person chose, or has to choose, an option of what an account receives. */
export async function hasPersonOption(
  deps: PersonOptionDeps,
  tx: Tx,
  target: { studioId: string; connectionId: string },
  { text, options = {} }: PublicationContent,
): Promise<boolean> {
  return (await listOptions(deps, tx, target)).some(
    (option) =>
      option.chosenBy === "person" && (options[option.name] !== undefined || isRequired(option, text, options)),
  );
}
