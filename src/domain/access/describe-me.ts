import { isoTime } from "#lib/clock.ts";
import type { SignedIn } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { Role } from "../policy.ts";

export interface Me {
  user: { id: string; name: string; email: string | null };
  memberships: { studioId: string; studioName: string; role: Role; joinedAt: string }[];
  activeStudioId: string | null;
}

/** The signed-in person, their studios, and the one that a new session will act in. */
export async function describeMe(deps: Pick<Deps, "users">, caller: SignedIn): Promise<Me> {
  const [user, memberships] = await Promise.all([
    deps.users.find(caller.user.id),
    deps.users.memberships(caller.user.id),
  ]);
  const chosen = memberships.find((one) => one.studioId === user?.activeStudioId) ?? memberships[0];
  return {
    user: { id: caller.user.id, name: caller.user.name, email: caller.user.email },
    memberships: memberships.map((one) => ({ ...one, joinedAt: isoTime(one.joinedAt) })),
    activeStudioId: chosen?.studioId ?? null,
  };
}
