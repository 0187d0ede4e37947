import { z } from "zod";
import { toIsoTime, type WithIsoTimes } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Person, SignedInUser } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import type { UserMembership } from "../model/user.ts";
import { id } from "../model/text.ts";

export interface Me {
  user: Person;
  memberships: WithIsoTimes<UserMembership, "joinedAt">[];
  activeStudioId: string | null;
}

/** Returns the signed-in user, their memberships and their active studio. */
export async function describeMe(deps: Pick<Deps, "users">, caller: Pick<SignedInUser, "user">): Promise<Me> {
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

export const setActiveStudioInput = z.strictObject({ studioId: id });

/** Sets the studio that new MCP sessions act on. Open sessions keep their studio. */
export async function setActiveStudio(
  deps: Pick<Deps, "transact">,
  caller: SignedInUser,
  input: z.infer<typeof setActiveStudioInput>,
): Promise<void> {
  const { studioId } = input;
  const wasSet =
    isId("studio", studioId) &&
    (await deps.transact(caller, (tx) => tx.users.setActiveStudio(caller.user.id, studioId)));
  if (!wasSet) throw notFoundError("studio");
}
