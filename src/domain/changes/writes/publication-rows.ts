import { ConflictError } from "../../model/conflict.ts";
import type { Tx } from "../../ports/deps.ts";
import type { Publication } from "../../model/publication.ts";
import type { PublicationChange, PublicationCondition } from "../../ports/publications.ts";
import { writes } from "../../ports/write-stores.ts";

/** Throws `ConflictError` if the publication is in another state than when it was read, or does not meet the condition. */
export async function updatePublication(
  tx: Tx,
  { id, state, publicParts }: Publication,
  change: PublicationChange,
  condition: Omit<PublicationCondition, "states"> = {},
): Promise<Publication> {
  const updatedPublication = await tx[writes].publications.update(id, change, {
    states: [state],
    publicParts,
    ...condition,
  });
  if (!updatedPublication) throw new ConflictError();
  return updatedPublication;
}
