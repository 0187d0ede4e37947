import { AppError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { forceRevokeGrant } from "../access/grants.ts";
import { recordActivity } from "../activity/record.ts";
import type { Operator } from "../caller.ts";
import type { Deps, Stores } from "../deps.ts";
import { getUser } from "./lookups.ts";

export interface RevokedAccess {
  sessions: number;
  clients: number;
  uploadLinks: number;
  invitations: number;
}

/**
 * Ends all that a person holds. An invitation of theirs would let them in again under another name, so those are part
 * of it.
 */
async function revokeAllAccess(
  tx: Pick<Stores, "sessions" | "grants" | "uploads" | "invitations">,
  userId: string,
  now: number,
): Promise<RevokedAccess> {
  return {
    sessions: await tx.sessions.deleteForUser(userId),
    clients: await tx.grants.revokeForUser(userId, now),
    uploadLinks: await tx.uploads.withdrawForUser(userId, now),
    invitations: await tx.invitations.revokeForUser(userId, now),
  };
}

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

/** Ends approvals, each from its next call on. Where one of them never was, nothing is ended. */
export async function revokeGrants(
  deps: Pick<Deps, "grants" | "users" | "transact" | "newId" | "clock">,
  _operator: Operator,
  input: { grantIds: readonly string[] },
): Promise<{ ended: string[]; before: string[] }> {
  for (const grantId of input.grantIds)
    if (!isId("connection", grantId) || !(await deps.grants.find(grantId)))
      throw new AppError("not_found:grant", { grantId });
  const result: { ended: string[]; before: string[] } = { ended: [], before: [] };
  for (const grantId of input.grantIds) {
    const ended = await forceRevokeGrant(deps, { grantId, reason: "ended by the operator" });
    result[ended ? "ended" : "before"].push(grantId);
  }
  return result;
}
