import { isId } from "#lib/ids.ts";
import { notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";

/** Withdraws an invitation that nobody accepted yet. */
export async function revokeInvitation(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: { invitationId: string },
): Promise<void> {
  authorize(caller, "invitations.revoke");
  if (!isId("invitation", input.invitationId)) throw notFoundError("invitation");
  await deps.transact(async (tx) => {
    if (!(await tx.invitations.revoke(caller.studio.id, input.invitationId, deps.clock())))
      throw notFoundError("invitation");
    await recordActivity(deps, tx, caller, "invitation.revoked", input.invitationId);
  });
}
