import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { isId } from "#lib/ids.ts";
import { notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { undefinedOnConflict, ConflictError } from "../overtaken.ts";
import { authorize, authorizeManaging, roles, type Role } from "../policy.ts";
import { id } from "../text.ts";
import { checkOwnedStudios } from "./owned-studios.ts";
import { updateOwnerCount } from "./owners.ts";

export const changeRoleInput = z.strictObject({ userId: id, role: z.enum(roles) });

export interface MembershipView {
  studioId: string;
  userId: string;
  role: Role;
  joinedAt: string;
}

/** Gives a member another role. Handing over a studio is making someone else its owner. */
export async function changeRole(
  deps: Pick<Deps, "memberships" | "transact" | "newId" | "clock" | "limits">,
  caller: Caller,
  input: z.infer<typeof changeRoleInput>,
): Promise<MembershipView> {
  authorize(caller, "members.changeRole");
  authorizeManaging(caller, input.role);
  const studioId = caller.studio.id;
  for (;;) {
    const member = isId("user", input.userId) ? await deps.memberships.find(studioId, input.userId) : undefined;
    if (!member) throw notFoundError("member");
    authorizeManaging(caller, member.role);
    const view = { studioId, userId: member.userId, role: input.role, joinedAt: toIsoTime(member.joinedAt) };
    if (member.role === input.role) return view;
    const didChange = await deps
      .transact(async (tx) => {
        await updateOwnerCount(tx, studioId, member.role, input.role);
        if (input.role === "owner") await checkOwnedStudios(deps, tx, member.userId, false);
        if (!(await tx.memberships.changeRole(studioId, member.userId, member.role, input.role)))
          throw new ConflictError();
        await recordActivity(deps, tx, caller, "member.role_changed", member.userId, {
          from: member.role,
          to: input.role,
        });
        return true;
      })
      .catch(undefinedOnConflict);
    if (didChange) return view;
  }
}
