import { recordActivity } from "../activity/record.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { endHoldings, type Ended } from "./end-holdings.ts";
import { findUser } from "./find-user.ts";

export interface Disabled {
  userId: string;
  /** False: they were disabled before. What they still held is ended all the same. */
  changed: boolean;
  ended: Ended;
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
): Promise<Disabled> {
  const { id: userId } = await findUser(deps, input.user);
  const memberships = await deps.users.memberships(userId);
  const done = await deps.transact(async (tx) => {
    const now = deps.clock();
    const changed = await tx.users.setDisabled(userId, now);
    const ended = await endHoldings(tx, userId, now);
    for (const { studioId } of changed ? memberships : [])
      await recordActivity(deps, tx, { ...operator, studio: { id: studioId } }, "member.disabled", userId);
    return { userId, changed, ended };
  });
  return { ...done, withoutOwner: await withoutOwner(deps, memberships) };
}

async function withoutOwner(
  deps: Pick<Deps, "memberships" | "users">,
  memberships: readonly { studioId: string; studioName: string; role: string }[],
): Promise<Disabled["withoutOwner"]> {
  const lost: Disabled["withoutOwner"] = [];
  for (const { studioId, studioName, role } of memberships) {
    if (role !== "owner") continue;
    const owners = (await deps.memberships.list(studioId)).filter((one) => one.role === "owner");
    const users = await Promise.all(owners.map((one) => deps.users.find(one.userId)));
    if (!users.some((user) => user?.disabledAt === null)) lost.push({ id: studioId, name: studioName });
  }
  return lost;
}
