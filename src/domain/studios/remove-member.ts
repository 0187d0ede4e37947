import { z } from "zod";
import { isId } from "#lib/ids.ts";
import { notFound } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { ifOvertaken, Overtaken } from "../overtaken.ts";
import { authorize, authorizeManaging } from "../policy.ts";
import { id } from "../text.ts";
import { countOwners } from "./owners.ts";

export const removeMemberInput = z.strictObject({ userId: id });

/** Removes a member, or lets the caller leave. Takes effect on that person's next call. */
export async function removeMember(
  deps: Pick<Deps, "memberships" | "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof removeMemberInput>,
): Promise<void> {
  const leaving = input.userId === caller.user.id;
  authorize(caller, leaving ? "members.leave" : "members.remove");
  const studioId = caller.studio.id;
  for (;;) {
    const member = isId("user", input.userId) ? await deps.memberships.find(studioId, input.userId) : undefined;
    if (!member) throw notFound("member");
    if (!leaving) authorizeManaging(caller, member.role);
    const removed = await deps
      .transact(async (tx) => {
        await countOwners(tx, studioId, member.role, undefined);
        if (!(await tx.memberships.remove(studioId, member.userId, member.role))) throw new Overtaken();
        await recordActivity(deps, tx, caller, leaving ? "member.left" : "member.removed", member.userId, {
          role: member.role,
        });
        return true;
      })
      .catch(ifOvertaken);
    if (removed) return;
  }
}
