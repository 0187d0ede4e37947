import { z } from "zod";
import { isId } from "#lib/ids.ts";
import { notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { undefinedOnConflict, ConflictError } from "../overtaken.ts";
import { authorize, authorizeManaging } from "../policy.ts";
import { id } from "../text.ts";
import { updateOwnerCount } from "./owners.ts";

export const removeMemberInput = z.strictObject({ userId: id });

/** Removes a member, or lets the caller leave. Takes effect on that person's next call. */
export async function removeMember(
  deps: Pick<Deps, "memberships" | "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof removeMemberInput>,
): Promise<void> {
  const isLeaving = input.userId === caller.user.id;
  authorize(caller, isLeaving ? "members.leave" : "members.remove");
  const studioId = caller.studio.id;
  for (;;) {
    const member = isId("user", input.userId) ? await deps.memberships.find(studioId, input.userId) : undefined;
    if (!member) throw notFoundError("member");
    if (!isLeaving) authorizeManaging(caller, member.role);
    const wasRemoved = await deps
      .transact(async (tx) => {
        await updateOwnerCount(tx, studioId, member.role, undefined);
        if (!(await tx.memberships.remove(studioId, member.userId, member.role))) throw new ConflictError();
        await recordActivity(deps, tx, caller, isLeaving ? "member.left" : "member.removed", member.userId, {
          role: member.role,
        });
        return true;
      })
      .catch(undefinedOnConflict);
    if (wasRemoved) return;
  }
}
