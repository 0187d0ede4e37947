import { toIsoTime } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { matchesVerifiedEmail } from "../access/email.ts";
import type { User } from "../access/ports.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, may, mayManage, type Role } from "../policy.ts";
import type { OpenInvitation, Studio } from "./ports.ts";

/** Only hashes are stored, so that a leaked database contains no usable links. */
export const hashInvitationToken = sha256;

/**
 * An invitation is valid only while its creator could still create it. Otherwise removed or demoted members could
 * return, or invite others, with an old link.
 */
const isCreatorAuthorized = ({ creatorRole, role }: OpenInvitation): boolean =>
  creatorRole !== null && may(creatorRole, "invitations.create") && mayManage(creatorRole, role);

export async function findInvitation(
  deps: Pick<Deps, "invitations" | "clock">,
  token: string,
): Promise<OpenInvitation | undefined> {
  const openInvitation = await deps.invitations.findOpen(hashInvitationToken(token), deps.clock());
  return openInvitation && isCreatorAuthorized(openInvitation) ? openInvitation : undefined;
}

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
  const openInvitations = await deps.invitations.listOpen(caller.studio.id, deps.clock());
  return {
    invitations: openInvitations
      .filter(isCreatorAuthorized)
      .map(({ id, role, email, createdBy, createdAt, expiresAt }) => ({
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
