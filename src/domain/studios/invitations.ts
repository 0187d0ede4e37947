import { z } from "zod";
import { days, toIsoTime, type WithIsoTimes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { matchesVerifiedEmail, type User } from "../model/user.ts";
import type { MembershipRecord, OpenInvitation, Studio, Invitation } from "../model/studio.ts";
import { authorize, authorizeRoleManagement, may, mayManage, type Role, roles } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { newInvitationMail } from "../steps/new-mail.ts";
import { enforceRateLimit } from "../steps/rate-limit.ts";
import { updateOwnerCount } from "../steps/update-owner-count.ts";
import { enforceOwnedStudioLimit, type MembershipView } from "./members.ts";

/** Only hashes are stored, so that a leaked database contains no usable links. */
const hashInvitationToken = sha256;

/** How many open invitations a studio may have, so that they fit in one list. */
export const maxOpenInvitations = 200;

/** The roles that may create invitations for this role. */
export const listInviters = (role: Role): Role[] =>
  roles.filter((inviter) => may(inviter, "invitations.create") && mayManage(inviter, role));

export const findInvitation = (
  deps: Pick<Deps, "invitations" | "clock">,
  token: string,
): Promise<OpenInvitation | undefined> => deps.invitations.findOpen(hashInvitationToken(token), deps.clock());

/** Describes an invitation to a person who has its link, without the email it was created for. */
export async function describeInvitation(
  deps: Pick<Deps, "invitations" | "clock">,
  user: User | undefined,
  input: { token: string },
): Promise<
  Pick<OpenInvitation, "studioName" | "approval" | "creatorName" | "role"> & { hasEmail: boolean; isForUser: boolean }
> {
  const invitation = await findInvitation(deps, input.token);
  if (!invitation) throw notFoundError("invitation_link");
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

export type InvitationView = WithIsoTimes<Omit<Invitation, "studioId">, "createdAt" | "expiresAt">;

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

const invitationLifetime = days(7);

export const createInvitationInput = z.strictObject({
  role: z.enum(roles),
  email: z
    .email()
    .max(254)
    .transform((value) => value.toLowerCase())
    .optional(),
});

/**
 * Creates a link that makes one user a member, and mails it if the invitation is for an email. The link is shown once;
 * only its token's hash is stored, and until the mail is sent the sealed token.
 */
export async function createInvitation(
  deps: Pick<
    Deps,
    "transact" | "newId" | "newSecret" | "clock" | "baseUrl" | "vault" | "mailer" | "rateLimits" | "wakeMailSender"
  >,
  caller: Caller,
  input: z.infer<typeof createInvitationInput>,
): Promise<{ id: string; url: string; expiresAt: string }> {
  authorize(caller, "invitations.create");
  authorizeRoleManagement(caller, input.role);
  const isMailed = deps.mailer !== undefined && input.email !== undefined;
  if (isMailed) await enforceRateLimit(deps, "invitationMail", caller.user.id);
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
    if (isMailed) await tx.mails.insert([newInvitationMail(deps, invitation, token)]);
  });
  if (isMailed) deps.wakeMailSender();
  return { id: invitation.id, url: `${deps.baseUrl}/join/${token}`, expiresAt: toIsoTime(invitation.expiresAt) };
}

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
  if (!invitation) throw notFoundError("invitation_link");
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
    if (!(await tx.invitations.accept(invitation, user.id, now))) throw notFoundError("invitation_link");
    // A parallel call with another invitation made the user a member. Roll back, so that this invitation stays open.
    if (!(await tx.memberships.insert(membership))) throw notFoundError("invitation_link");
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
