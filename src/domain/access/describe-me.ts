import { toIsoTime } from "#lib/clock.ts";
import type { SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { Role } from "../policy.ts";

export interface Me {
  user: { id: string; name: string; email: string | null };
  memberships: { studioId: string; studioName: string; role: Role; joinedAt: string }[];
  activeStudioId: string | null;
}

/** The signed-in person, their studios, and the one that a new session will act in. */
export async function describeMe(deps: Pick<Deps, "users">, caller: SignedInUser): Promise<Me> {
  const [user, memberships] = await Promise.all([
    deps.users.find(caller.user.id),
    deps.users.listMemberships(caller.user.id),
  ]);
  const activeMembership =
    memberships.find((membership) => membership.studioId === user?.activeStudioId) ?? memberships[0];
  return {
    user: { id: caller.user.id, name: caller.user.name, email: caller.user.email },
    memberships: memberships.map((membership) => ({ ...membership, joinedAt: toIsoTime(membership.joinedAt) })),
    activeStudioId: activeMembership?.studioId ?? null,
  };
}
