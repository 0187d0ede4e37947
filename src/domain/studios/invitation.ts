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

/** Links are kept as digests: whoever reads the database cannot use them. */
export const hashInvitationToken = sha256;

/**
 * An invitation is worth what its maker could still give: someone who was removed or has less to say now neither comes
 * back by a link they kept, nor sends others.
 */
const isCreatorAuthorized = ({ creatorRole: makerRole, role }: OpenInvitation): boolean =>
  makerRole !== null && may(makerRole, "invitations.create") && mayManage(makerRole, role);

export async function findInvitation(
  deps: Pick<Deps, "invitations" | "clock">,
  token: string,
): Promise<OpenInvitation | undefined> {
  const openInvitation = await deps.invitations.findOpen(hashInvitationToken(token), deps.clock());
  return openInvitation && isCreatorAuthorized(openInvitation) ? openInvitation : undefined;
}

export const invitationNotFoundError = (): AppError => new AppError("not_found:invitation_link");

/** What an invitation offers to whoever holds its link. Whom it was made for is not told. */
export async function describeInvitation(
  deps: Pick<Deps, "invitations" | "clock">,
  person: User | undefined,
  input: { token: string },
): Promise<{ studioName: string; role: Role; forPerson: boolean }> {
  const invitation = await findInvitation(deps, input.token);
  if (!invitation) throw invitationNotFoundError();
  return {
    studioName: invitation.studioName,
    role: invitation.role,
    forPerson: person === undefined || matchesVerifiedEmail(invitation.email, person),
  };
}

/** The studio that a link invites to, for someone who is a member already. Also for a link that was used or has expired. */
export function findJoinedStudio(
  deps: Pick<Deps, "invitations">,
  { user }: SignedInUser,
  { token }: { token: string },
): Promise<Pick<Studio, "id" | "name"> | undefined> {
  return deps.invitations.findStudioOfMember(hashInvitationToken(token), user.id);
}

export interface InvitationView {
  id: string;
  role: Role;
  email: string | null;
  createdBy: string;
  createdAt: string;
  expiresAt: string;
}

/** Invitations that can still be accepted. Their links are not shown again. */
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
