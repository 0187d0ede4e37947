import { toIsoTime } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, type Role } from "../policy.ts";

export interface MemberView {
  userId: string;
  name: string;
  email: string | null;
  role: Role;
  joinedAt: string;
}

export async function listMembers(deps: Pick<Deps, "memberships">, caller: Caller): Promise<{ members: MemberView[] }> {
  authorize(caller, "members.list");
  const members = await deps.memberships.list(caller.studio.id);
  return {
    members: members.map(({ userId, name, email, role, joinedAt }) => ({
      userId,
      name,
      email,
      role,
      joinedAt: toIsoTime(joinedAt),
    })),
  };
}
