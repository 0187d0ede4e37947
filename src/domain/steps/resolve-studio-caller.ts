import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { type Caller, scopes, type SignedInUser } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";

/** Resolves the caller of a web request. Throws `not_found` for studios that the user is not a member of. */
export async function resolveStudioCaller(
  deps: Pick<Deps, "memberships">,
  signedInUser: SignedInUser,
  studioId: string,
): Promise<Caller> {
  if (!isId("studio", studioId)) throw notFoundError("studio");
  const membership = await deps.memberships.findWithStudio(studioId, signedInUser.user.id);
  if (!membership) throw notFoundError("studio");
  return { user: signedInUser.user, credential: signedInUser.credential, ...membership, scopes };
}
