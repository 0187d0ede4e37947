import { recordActivity } from "../activity/record.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { revokeAllAccess, type RevokedAccess } from "./end-holdings.ts";
import { getUser } from "./find-user.ts";

export interface DisableUserResult {
  userId: string;
  /** False: they were disabled before. What they still held is ended all the same. */
  changed: boolean;
  ended: RevokedAccess;
  /** Studios that nobody can manage now. They want a new owner. */
  withoutOwner: { id: string; name: string }[];
}

/**
 * Shuts a person out, from their next call on: nothing they hold is good while they are disabled. It also ends, so that
 * none of it comes back to life with the person.
 */
export async function disableUser(
  deps: Pick<Deps, "users" | "memberships" | "transact" | "newId" | "clock">,
  operator: Operator,
  input: { user: string },
): Promise<DisableUserResult> {
  const { id: userId } = await getUser(deps, input.user);
  const memberships = await deps.users.listMemberships(userId);
  const result = await deps.transact(async (tx) => {
    const now = deps.clock();
    const didChange = await tx.users.setDisabled(userId, now);
    const ended = await revokeAllAccess(tx, userId, now);
    for (const { studioId } of didChange ? memberships : [])
      await recordActivity(deps, tx, { ...operator, studio: { id: studioId } }, "member.disabled", userId);
    return { userId, changed: didChange, ended };
  });
  return { ...result, withoutOwner: await withoutOwner(deps, memberships) };
}

async function withoutOwner(
  deps: Pick<Deps, "memberships" | "users">,
  memberships: readonly { studioId: string; studioName: string; role: string }[],
): Promise<DisableUserResult["withoutOwner"]> {
  const ownerlessStudios: DisableUserResult["withoutOwner"] = [];
  for (const { studioId, studioName, role } of memberships) {
    if (role !== "owner") continue;
    const owners = (await deps.memberships.list(studioId)).filter((member) => member.role === "owner");
    const users = await Promise.all(owners.map((member) => deps.users.find(member.userId)));
    if (!users.some((user) => user?.disabledAt === null)) ownerlessStudios.push({ id: studioId, name: studioName });
  }
  return ownerlessStudios;
}
