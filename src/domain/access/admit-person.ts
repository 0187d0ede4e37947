import { AppError } from "#lib/errors.ts";
import type { SignedIn } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { findInvitation } from "../studios/invitation.ts";
import { foldAddress, isMeantFor } from "./address.ts";
import type { Identity } from "./ports.ts";

/**
 * Throws `forbidden` unless the person may sign in here: the operator's list says so, they hold an open invitation
 * that is meant for them, or they are in a studio by one they accepted. Stores nothing.
 * `invitation`: the token of one that they came with.
 */
export async function admitPerson(
  deps: Pick<Deps, "users" | "invitations" | "clock" | "signInAllow">,
  identity: Identity,
  { invitation }: { invitation: string | undefined },
): Promise<void> {
  if (isListed(deps, identity)) return;
  if (invitation !== undefined) {
    const open = await findInvitation(deps, invitation);
    if (open && isMeantFor(open.email, identity)) return;
    if (open) throw new AppError("forbidden:invitation_email");
  }
  if (await deps.users.isGuest(identity.issuer, identity.subject)) return;
  const isUnverified = identity.email !== null && !identity.emailVerified;
  throw new AppError(isUnverified ? "forbidden:email_not_verified" : "forbidden:not_admitted");
}

/**
 * Throws `forbidden` unless `SIGN_IN_ALLOW` lists the user. An invitation admits its user to that studio, and grants
 * nothing else on this server.
 */
export async function checkMayCreateStudio(
  deps: Pick<Deps, "users" | "signInAllow">,
  { user: { id } }: SignedIn,
): Promise<void> {
  const user = await deps.users.find(id);
  if (user && isListed(deps, user)) return;
  throw new AppError("forbidden:create_studio");
}

function isListed(
  { signInAllow: allow }: Pick<Deps, "signInAllow">,
  { email, emailVerified }: Pick<Identity, "email" | "emailVerified">,
): boolean {
  if (allow.includes("*")) return true;
  if (email === null || !emailVerified) return false;
  const address = foldAddress(email);
  return allow.includes(address) || allow.includes(address.slice(address.lastIndexOf("@")));
}
