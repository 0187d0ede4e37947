import { isId } from "#lib/ids.ts";
import { notFoundError } from "#lib/errors.ts";
import { scopes, type Caller, type SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";

/** The person as a caller in one of their studios, for the web app. Someone else's studio does not exist. */
export async function resolveStudioCaller(
  deps: Pick<Deps, "memberships">,
  person: SignedInUser,
  studioId: string,
): Promise<Caller> {
  if (!isId("studio", studioId)) throw notFoundError("studio");
  const membership = await deps.memberships.findWithStudio(studioId, person.user.id);
  if (!membership) throw notFoundError("studio");
  return { user: person.user, ...membership, scopes };
}
