import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { type Action, authorize, listPermissions, type Role } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import type { StudioView } from "./create-studio.ts";

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
