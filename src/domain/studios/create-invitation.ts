import { z } from "zod";
import { days, toIsoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize, authorizeRoleManagement, roles } from "../policy.ts";
import { hashInvitationToken, maxOpenInvitations } from "./invitation.ts";

const invitationLifetime = days(7);

export const createInvitationInput = z.strictObject({
  role: z.enum(roles),
  email: z
    .email()
    .max(254)
    .transform((value) => value.toLowerCase())
    .optional(),
});

/** Creates a link that makes one user a member. The link is shown once; only its token's hash is stored. */
export async function createInvitation(
  deps: Pick<Deps, "transact" | "newId" | "newSecret" | "clock" | "baseUrl">,
  caller: Caller,
  input: z.infer<typeof createInvitationInput>,
): Promise<{ id: string; url: string; expiresAt: string }> {
  authorize(caller, "invitations.create");
  authorizeRoleManagement(caller, input.role);
  const now = deps.clock();
  const token = deps.newSecret();
  const invitation = {
    id: deps.newId("invitation"),
    studioId: caller.studio.id,
    role: input.role,
    email: input.email ?? null,
    createdBy: caller.user.id,
    createdAt: now,
    expiresAt: now + invitationLifetime,
  };
  await deps.transact(caller, async (tx) => {
    if (!(await tx.invitations.insert(invitation, hashInvitationToken(token), maxOpenInvitations)))
      throw new AppError("quota_exceeded:invitations", { limit: maxOpenInvitations });
    await recordActivity(deps, tx, caller, "invitation.created", invitation.id, {
      role: input.role,
      email: input.email ?? null,
    });
  });
  return { id: invitation.id, url: `${deps.baseUrl}/join/${token}`, expiresAt: toIsoTime(invitation.expiresAt) };
}
