import { AppError } from "#lib/errors.ts";
import type { SignedInUser } from "../caller.ts";
import { type Identity, matchesVerifiedEmail, normalizeEmail, type User } from "../model/user.ts";
import type { Deps } from "../ports/deps.ts";
import { findInvitation } from "./invitations.ts";

/**
 * Throws `forbidden` unless the user may sign in: the allowlist includes them, they followed an open invitation that is
 * for their email or for any email, or they are a member of a studio that they joined by invitation. Stores nothing.
 * `invitation` is the token of the link they followed.
 */
export async function authorizeSignIn(
  deps: Pick<Deps, "users" | "invitations" | "clock" | "signInAllow">,
  identity: Identity,
  { invitation }: { invitation: string | undefined },
): Promise<void> {
  if (isOnAllowlist(deps, identity)) return;
  if (invitation !== undefined) {
    const openInvitation = await findInvitation(deps, invitation);
    if (openInvitation && matchesVerifiedEmail(openInvitation.email, identity)) return;
    if (openInvitation) throw new AppError("forbidden:invitation_email");
  }
  if (await deps.users.isInvitedMember(identity.issuer, identity.subject)) return;
  const isUnverified = identity.email !== null && !identity.emailVerified;
  throw new AppError(isUnverified ? "forbidden:email_not_verified" : "forbidden:not_admitted");
}

/**
 * Throws `forbidden` unless the allowlist includes the user. Users who joined by invitation have access only to the
 * studios that invited them.
 */
export async function authorizeStudioCreation(
  deps: Pick<Deps, "users" | "signInAllow">,
  { user: { id } }: SignedInUser,
): Promise<void> {
  const user = await deps.users.find(id);
  if (user && isOnAllowlist(deps, user)) return;
  throw new AppError("forbidden:create_studio");
}

function isOnAllowlist(
  { signInAllow: allowlist }: Pick<Deps, "signInAllow">,
  { email, emailVerified }: Pick<Identity, "email" | "emailVerified">,
): boolean {
  if (allowlist.includes("*")) return true;
  if (email === null || !emailVerified) return false;
  const normalizedEmail = normalizeEmail(email);
  return (
    allowlist.includes(normalizedEmail) || allowlist.includes(normalizedEmail.slice(normalizedEmail.lastIndexOf("@")))
  );
}

/** Finds or creates the user by issuer and subject, never by email. Throws if the user is disabled. */
export async function resolveUser(deps: Pick<Deps, "users" | "newId" | "clock">, identity: Identity): Promise<User> {
  const user = await deps.users.upsert(deps.newId("user"), identity, deps.clock());
  if (user.disabledAt === null) return user;
  throw new AppError("forbidden:account_disabled");
}
