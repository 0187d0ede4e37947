import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Caller } from "../caller.ts";
import type { PublicationWithNames } from "../model/publication.ts";
import type { Stores } from "../ports/deps.ts";

/** A malformed id yields the same `not_found` error as an id of another studio. */
export async function getPublication(
  { publications }: Pick<Stores, "publications">,
  caller: Caller,
  publicationId: string,
): Promise<PublicationWithNames> {
  const publication = isId("publication", publicationId)
    ? await publications.find(caller.studio.id, publicationId)
    : undefined;
  if (!publication) throw notFoundError("publication");
  return publication;
}
