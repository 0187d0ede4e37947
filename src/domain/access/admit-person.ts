import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";
import { findInvitation } from "../studios/invitation.ts";
import { foldAddress, isMeantFor } from "./address.ts";
import type { Identity } from "./ports.ts";

export interface AdmissionRule {
  /** Verified addresses and `@domains`, or `*`. */
  allow: readonly string[];
  /** The token of an invitation the person came with. */
  invitation: string | undefined;
}

/**
 * Throws `forbidden` unless the person may sign in here: the operator's list says so, they hold an open invitation
 * that is meant for them, or they are in a studio by one they accepted. Stores nothing.
 */
export async function admitPerson(
  deps: Pick<Deps, "users" | "invitations" | "clock">,
  identity: Identity,
  { allow, invitation }: AdmissionRule,
): Promise<void> {
  if (isListed(allow, identity)) return;
  if (invitation !== undefined) {
    const open = await findInvitation(deps, invitation);
    if (open && isMeantFor(open.email, identity)) return;
    if (open)
      throw refusal("This invitation was made for another email address.", "Sign in with the address it was sent to.");
  }
  if (await deps.users.isGuest(identity.issuer, identity.subject)) return;
  throw refusal(`${identity.email ?? "This account"} may not sign in here.`, notListedHint(identity));
}

function isListed(allow: readonly string[], { email, emailVerified }: Identity): boolean {
  if (allow.includes("*")) return true;
  if (email === null || !emailVerified) return false;
  const address = foldAddress(email);
  return allow.includes(address) || allow.includes(address.slice(address.lastIndexOf("@")));
}

function notListedHint({ email, emailVerified }: Identity): string {
  return email !== null && !emailVerified
    ? "Your identity provider has not verified this address. Verify it there, or use another account."
    : "Use another account, or ask for an invitation.";
}

function refusal(message: string, hint: string): AppError {
  return new AppError("forbidden", message, hint);
}
