import { recordActivity } from "../activity/record.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { revokeAllAccess } from "./end-holdings.ts";
import { getUser } from "./find-user.ts";

/** Lets a person in again. They sign in and approve their clients anew: nothing that ended comes back. */
export async function enableUser(
  deps: Pick<Deps, "users" | "transact" | "newId" | "clock">,
  operator: Operator,
  input: { user: string },
): Promise<{ userId: string; changed: boolean }> {
  const { id: userId } = await getUser(deps, input.user);
  const memberships = await deps.users.listMemberships(userId);
  const didChange = await deps.transact(async (tx) => {
    if (!(await tx.users.setDisabled(userId, null))) return false;
    await revokeAllAccess(tx, userId, deps.clock()); // what was being made at the moment of the disabling
    for (const { studioId } of memberships)
      await recordActivity(deps, tx, { ...operator, studio: { id: studioId } }, "member.enabled", userId);
    return true;
  });
  return { userId, changed: didChange };
}
