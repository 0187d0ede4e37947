import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, listPermissions, type Action, type Role } from "../policy.ts";
import type { StudioView } from "./create-studio.ts";

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
