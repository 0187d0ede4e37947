import { isoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { isMeantFor } from "../access/address.ts";
import { recordActivity } from "../activity/record.ts";
import type { SignedIn } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { MembershipView } from "./change-role.ts";
import { findInvitation, invitationGone } from "./invitation.ts";
import { checkOwnedStudios } from "./owned-studios.ts";
import { countOwners } from "./owners.ts";
import type { Membership } from "./ports.ts";

/**
 * Makes the caller a member. The invitation is used up in the same transaction, so it serves one person once.
 * Someone who is a member already stays what they are, and the link stays good for whom it was meant.
 */
export async function acceptInvitation(
  deps: Pick<Deps, "users" | "invitations" | "memberships" | "transact" | "newId" | "clock" | "limits">,
  caller: SignedIn,
  input: { token: string },
): Promise<MembershipView> {
  const now = deps.clock();
  const invitation = await findInvitation(deps, input.token);
  if (!invitation) throw invitationGone();
  const user = await deps.users.find(caller.user.id);
  if (!user || !isMeantFor(invitation.email, user)) {
    throw new AppError("forbidden:invitation_email");
  }
  const { studioId, role } = invitation;
  const existing = await deps.memberships.find(studioId, user.id);
  if (existing) return view(existing);

  const membership: Membership = { studioId, userId: user.id, role, joinedAt: now };
  await deps.transact(async (tx) => {
    await countOwners(tx, studioId, undefined, role);
    if (role === "owner") await checkOwnedStudios(deps, tx, user.id, true);
    if (!(await tx.invitations.accept(invitation, user.id, now))) throw invitationGone();
    if (!(await tx.memberships.insert(membership))) throw invitationGone();
    await recordActivity(deps, tx, { user: caller.user, studio: { id: studioId } }, "member.joined", user.id, {
      role,
      invitationId: invitation.id,
    });
  });
  return view(membership);
}

function view({ studioId, userId, role, joinedAt }: Membership): MembershipView {
  return { studioId, userId, role, joinedAt: isoTime(joinedAt) };
}
