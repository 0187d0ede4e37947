import { toIsoTime } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { matchesVerifiedEmail } from "../model/email.ts";
import type { User } from "../model/user.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize, may, mayManage, roles, type Role } from "../policy.ts";
import type { OpenInvitation, Studio } from "../model/studio.ts";

/** Only hashes are stored, so that a leaked database contains no usable links. */
export const hashInvitationToken = sha256;

/** How many open invitations a studio may have, so that they fit in one list. */
export const maxOpenInvitations = 200;

/** The roles that may create invitations for this role. */
export const listInviters = (role: Role): Role[] =>
  roles.filter((inviter) => may(inviter, "invitations.create") && mayManage(inviter, role));

export const findInvitation = (
  deps: Pick<Deps, "invitations" | "clock">,
  token: string,
): Promise<OpenInvitation | undefined> => deps.invitations.findOpen(hashInvitationToken(token), deps.clock());

export const invitationNotFoundError = (): AppError => new AppError("not_found:invitation_link");

/** Describes an invitation to a person who has its link, without the email it was created for. */
export async function describeInvitation(
  deps: Pick<Deps, "invitations" | "clock">,
  user: User | undefined,
  input: { token: string },
): Promise<
  Pick<OpenInvitation, "studioName" | "approval" | "creatorName" | "role"> & { hasEmail: boolean; isForUser: boolean }
> {
  const invitation = await findInvitation(deps, input.token);
  if (!invitation) throw invitationNotFoundError();
  return {
    studioName: invitation.studioName,
    approval: invitation.approval,
    creatorName: invitation.creatorName,
    role: invitation.role,
    hasEmail: invitation.email !== null,
    isForUser: user === undefined || matchesVerifiedEmail(invitation.email, user),
  };
}

/** Finds the studio of an invitation, open or not, if the user is a member of the studio. */
export function findJoinedStudio(
  deps: Pick<Deps, "invitations">,
  { user }: SignedInUser,
  { token }: { token: string },
): Promise<Pick<Studio, "id" | "name"> | undefined> {
  return deps.invitations.findStudioIfMember(hashInvitationToken(token), user.id);
}

export interface InvitationView {
  id: string;
  role: Role;
  email: string | null;
  createdBy: string;
  createdAt: string;
  expiresAt: string;
}

/** Lists the open invitations, without their links. */
export async function listInvitations(
  deps: Pick<Deps, "invitations" | "clock">,
  caller: Caller,
): Promise<{ invitations: InvitationView[] }> {
  authorize(caller, "invitations.list");
  const openInvitations = await deps.invitations.listOpen(caller.studio.id, deps.clock(), maxOpenInvitations);
  return {
    invitations: openInvitations.map(({ id, role, email, createdBy, createdAt, expiresAt }) => ({
      id,
      role,
      email,
      createdBy,
      createdAt: toIsoTime(createdAt),
      expiresAt: toIsoTime(expiresAt),
    })),
  };
}

export async function revokeInvitation(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: { invitationId: string },
): Promise<void> {
  authorize(caller, "invitations.revoke");
  if (!isId("invitation", input.invitationId)) throw notFoundError("invitation");
  await deps.transact(caller, async (tx) => {
    if (!(await tx.invitations.revoke(caller.studio.id, input.invitationId, deps.clock())))
      throw notFoundError("invitation");
    await recordActivity(deps, tx, caller, "invitation.revoked", input.invitationId);
  });
}
