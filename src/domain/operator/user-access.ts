import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Operator } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { forceRevokeGrant } from "../steps/force-revoke-grant.ts";
import { updateOwnerCount } from "../steps/update-owner-count.ts";
import { getUser } from "./lookups.ts";

export interface RevokedAccess {
  sessions: number;
  clients: number;
  uploadLinks: number;
  invitations: number;
  calendarFeeds: number;
}

/**
 * Revokes everything that gives a user access. That includes the invitations they created, which would let them join
 * again as another user.
 */
async function revokeAllAccess(tx: Tx, userId: string, now: number): Promise<RevokedAccess> {
  return {
    sessions: await tx.sessions.deleteForUser(userId),
    clients: await tx.grants.revokeForUser(userId, now),
    uploadLinks: await tx.uploads.withdrawForUser(userId, now),
    invitations: await tx.invitations.revokeCreatedBy(userId, now),
    calendarFeeds: await tx.calendarFeeds.deleteForUser(userId),
  };
}

export interface DisableUserResult {
  userId: string;
  /** False if the user was disabled before. Remaining access is revoked in either case. */
  changed: boolean;
  ended: RevokedAccess;
  /** Studios that have no enabled owner left and need a new one. */
  withoutOwner: { id: string; name: string }[];
}

/**
 * Disables a user, from their next call on. Also revokes their sessions, grants and links, so that enabling the user
 * does not restore them.
 */
export async function disableUser(
  deps: Pick<Deps, "users" | "memberships" | "transact" | "newId" | "clock">,
  operator: Operator,
  input: { user: string },
): Promise<DisableUserResult> {
  const { id: userId } = await getUser(deps, input.user);
  const memberships = await deps.users.listMemberships(userId);
  const result = await deps.transact(operator, async (tx) => {
    const now = deps.clock();
    const didChange = await tx.users.setDisabled(userId, now);
    const ended = await revokeAllAccess(tx, userId, now);
    for (const { studioId } of didChange ? memberships : [])
      await recordActivity(deps, tx, { ...operator, studio: { id: studioId } }, "member.disabled", userId);
    return { userId, changed: didChange, ended };
  });
  return { ...result, withoutOwner: await findOwnerlessStudios(deps, memberships) };
}

async function findOwnerlessStudios(
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

/** Enables a user again. They must sign in and grant access to their clients again. */
export async function enableUser(
  deps: Pick<Deps, "users" | "transact" | "newId" | "clock">,
  operator: Operator,
  input: { user: string },
): Promise<{ userId: string; changed: boolean }> {
  const { id: userId } = await getUser(deps, input.user);
  const memberships = await deps.users.listMemberships(userId);
  const didChange = await deps.transact(operator, async (tx) => {
    if (!(await tx.users.setDisabled(userId, null))) return false;
    // A request that ran while the user was being disabled may have created access afterwards, which must not become
    // valid now.
    await revokeAllAccess(tx, userId, deps.clock());
    for (const { studioId } of memberships)
      await recordActivity(deps, tx, { ...operator, studio: { id: studioId } }, "member.enabled", userId);
    return true;
  });
  return { userId, changed: didChange };
}

/**
 * Revokes grants, from their next call on. If any of them does not exist, revokes none. Returns the newly revoked ids
 * as `ended`, and those that had been revoked earlier as `before`.
 */
export async function revokeGrants(
  deps: Pick<Deps, "grants" | "users" | "transact" | "newId" | "clock">,
  _operator: Operator,
  input: { grantIds: readonly string[] },
): Promise<{ ended: string[]; before: string[] }> {
  for (const grantId of input.grantIds)
    if (!isId("grant", grantId) || !(await deps.grants.find(grantId)))
      throw new AppError("not_found:grant", { grantId });
  const result: { ended: string[]; before: string[] } = { ended: [], before: [] };
  for (const grantId of input.grantIds) {
    const isNewlyRevoked = await forceRevokeGrant(deps, { grantId, reason: "ended by the operator" });
    result[isNewlyRevoked ? "ended" : "before"].push(grantId);
  }
  return result;
}

/**
 * Makes a user an owner of a studio, whether or not they are a member. Existing owners keep their role; the new owner
 * can change it or remove them.
 */
export async function addOwner(
  deps: Pick<Deps, "users" | "studios" | "memberships" | "transact" | "newId" | "clock">,
  operator: Operator,
  input: { studioId: string; user: string },
): Promise<{ studioId: string; userId: string; changed: boolean }> {
  const studio = isId("studio", input.studioId) ? await deps.studios.find(input.studioId) : undefined;
  if (!studio) throw notFoundError("studio");
  const user = await getUser(deps, input.user);
  // An identity provider may let anyone claim an email.
  if (user.id !== input.user && !user.emailVerified)
    throw new AppError("invalid_input:unverified_email", { id: user.id });
  if (user.disabledAt !== null) throw new AppError("forbidden:user_disabled", { name: user.name });
  const [studioId, userId] = [studio.id, user.id];
  return retryOnConflict(async () => {
    const member = await deps.memberships.find(studioId, userId);
    if (member?.role === "owner") return { studioId, userId, changed: false };
    await deps.transact(operator, async (tx) => {
      await updateOwnerCount(tx, studioId, member?.role, "owner");
      const didChange = member
        ? await tx.memberships.changeRole(studioId, userId, member.role, "owner")
        : await tx.memberships.insert({ studioId, userId, role: "owner", joinedAt: deps.clock() });
      if (!didChange) throw new ConflictError();
      const detail = { from: member?.role ?? null, to: "owner" };
      await recordActivity(deps, tx, { ...operator, studio }, "studio.handed_over", userId, detail);
    });
    return { studioId, userId, changed: true };
  });
}
