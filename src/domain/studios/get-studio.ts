import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { scopes, type Caller, type SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, listPermissions, type Action, type Role } from "../policy.ts";
import type { StudioView } from "./create-studio.ts";

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

/** A studio and what the member may do in it. */
export interface StudioDetail extends StudioView {
  role: Role;
  may: Action[];
  /** The roles that the member may assign, and whose members they may manage. */
  manages: readonly Role[];
}

export async function getStudio(deps: Pick<Deps, "studios">, caller: Caller): Promise<StudioDetail> {
  authorize(caller, "studio.read");
  const studio = await deps.studios.find(caller.studio.id);
  if (!studio) throw notFoundError("studio");
  return { ...studio, createdAt: toIsoTime(studio.createdAt), role: caller.role, ...listPermissions(caller.role) };
}
