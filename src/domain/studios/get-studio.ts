import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { scopes, type Caller, type SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, listPermissions, type Action, type Role } from "../policy.ts";
import type { StudioView } from "./create-studio.ts";

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

/** A studio as one of its members meets it: what it is, and what they may do there. */
export interface StudioDetail extends StudioView {
  role: Role;
  may: Action[];
  /** The roles they may hand out, and the roles of the people they may manage. */
  manages: readonly Role[];
}

export async function getStudio(deps: Pick<Deps, "studios">, caller: Caller): Promise<StudioDetail> {
  authorize(caller, "studio.read");
  const studio = await deps.studios.find(caller.studio.id);
  if (!studio) throw notFoundError("studio");
  return { ...studio, createdAt: toIsoTime(studio.createdAt), role: caller.role, ...listPermissions(caller.role) };
}
