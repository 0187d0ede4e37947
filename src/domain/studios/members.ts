import type { Member, MembershipRecord } from "../model/studio.ts";
import { z } from "zod";
import { toIsoTime, type WithIsoTimes } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Caller } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import { id } from "../model/text.ts";
import { authorize, authorizeRoleManagement, roles } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { updateOwnerCount } from "../steps/update-owner-count.ts";

export type MemberView = WithIsoTimes<Omit<Member, "studioId">, "joinedAt">;

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

export const changeRoleInput = z.strictObject({ userId: id, role: z.enum(roles) });

export type MembershipView = WithIsoTimes<MembershipRecord, "joinedAt">;

/** Changes a member's role. To transfer a studio, make another member an owner. */
export async function changeRole(
  deps: Pick<Deps, "memberships" | "transact" | "newId" | "clock" | "limits">,
  caller: Caller,
  input: z.infer<typeof changeRoleInput>,
): Promise<MembershipView> {
  authorize(caller, "members.changeRole");
  authorizeRoleManagement(caller, input.role);
  const studioId = caller.studio.id;
  return retryOnConflict(async () => {
    const member = isId("user", input.userId) ? await deps.memberships.find(studioId, input.userId) : undefined;
    if (!member) throw notFoundError("member");
    authorizeRoleManagement(caller, member.role);
    const view = { studioId, userId: member.userId, role: input.role, joinedAt: toIsoTime(member.joinedAt) };
    if (member.role === input.role) return view;
    const change = async (tx: Tx): Promise<void> => {
      await updateOwnerCount(tx, studioId, member.role, input.role);
      if (input.role === "owner") await enforceOwnedStudioLimit(deps, tx, member.userId, { isCaller: false });
      if (!(await tx.memberships.changeRole(studioId, member.userId, member.role, input.role)))
        throw new ConflictError();
      const detail = { from: member.role, to: input.role };
      await recordActivity(deps, tx, caller, "member.role_changed", member.userId, detail);
    };
    await deps.transact(caller, change, { changesAccess: true });
    return view;
  });
}

export const removeMemberInput = z.strictObject({ userId: id });

/** Removes a member, or lets the caller leave. Takes effect on the member's next call. */
export async function removeMember(
  deps: Pick<Deps, "memberships" | "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof removeMemberInput>,
): Promise<void> {
  const isLeaving = input.userId === caller.user.id;
  authorize(caller, isLeaving ? "members.leave" : "members.remove");
  const studioId = caller.studio.id;
  await retryOnConflict(async () => {
    const member = isId("user", input.userId) ? await deps.memberships.find(studioId, input.userId) : undefined;
    if (!member) throw notFoundError("member");
    if (!isLeaving) authorizeRoleManagement(caller, member.role);
    const { userId, role } = member;
    const remove = async (tx: Tx): Promise<void> => {
      await updateOwnerCount(tx, studioId, role, undefined);
      if (!(await tx.memberships.remove(studioId, userId, role))) throw new ConflictError();
      await recordActivity(deps, tx, caller, isLeaving ? "member.left" : "member.removed", userId, { role });
    };
    await deps.transact(caller, remove, { changesAccess: true });
  });
}

/**
 * Throws `quota_exceeded` unless the user may own another studio. Call it in the transaction that makes them an owner:
 * it serializes parallel changes for the same user.
 */
export async function enforceOwnedStudioLimit(
  { limits }: Pick<Deps, "limits">,
  tx: Tx,
  userId: string,
  { isCaller }: { isCaller: boolean },
): Promise<void> {
  if ((await tx.memberships.countOwnedForUpdate(userId)) < limits.studiosPerUser) return;
  throw new AppError(isCaller ? "quota_exceeded:own_studios" : "quota_exceeded:new_owner_studios", {
    limit: limits.studiosPerUser,
  });
}
