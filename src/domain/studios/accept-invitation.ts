import { toIsoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { matchesVerifiedEmail } from "../model/email.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { SignedInUser } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { enforceOwnedStudioLimit, type MembershipView } from "./members.ts";
import { updateOwnerCount } from "../steps/update-owner-count.ts";
import { findInvitation, invitationNotFoundError } from "./invitation.ts";
import type { MembershipRecord } from "../model/studio.ts";

/**
 * Makes the caller a member and marks the invitation as used in the same transaction, so that it admits only one user.
 * If the caller is already a member, nothing changes: they keep their role, and the invitation stays open.
 */
export async function acceptInvitation(
  deps: Pick<Deps, "users" | "invitations" | "memberships" | "transact" | "newId" | "clock" | "limits">,
  caller: SignedInUser,
  input: { token: string },
): Promise<MembershipView> {
  const now = deps.clock();
  const invitation = await findInvitation(deps, input.token);
  if (!invitation) throw invitationNotFoundError();
  const user = await deps.users.find(caller.user.id);
  if (!user || !matchesVerifiedEmail(invitation.email, user)) {
    throw new AppError("forbidden:invitation_email");
  }
  const { studioId, role } = invitation;
  const existingMembership = await deps.memberships.find(studioId, user.id);
  if (existingMembership) return toMembershipView(existingMembership);

  const membership: MembershipRecord = { studioId, userId: user.id, role, joinedAt: now };
  await deps.transact(caller, async (tx) => {
    await updateOwnerCount(tx, studioId, undefined, role);
    if (role === "owner") await enforceOwnedStudioLimit(deps, tx, user.id, { isCaller: true });
    if (!(await tx.invitations.accept(invitation, user.id, now))) throw invitationNotFoundError();
    // A parallel call with another invitation made the user a member. Roll back, so that this invitation stays open.
    if (!(await tx.memberships.insert(membership))) throw invitationNotFoundError();
    await recordActivity(deps, tx, { user: caller.user, studio: { id: studioId } }, "member.joined", user.id, {
      role,
      invitationId: invitation.id,
    });
  });
  return toMembershipView(membership);
}

function toMembershipView({ studioId, userId, role, joinedAt }: MembershipRecord): MembershipView {
  return { studioId, userId, role, joinedAt: toIsoTime(joinedAt) };
}
