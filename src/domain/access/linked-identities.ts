import { AppError } from "#lib/errors.ts";
import type { SignedInUser } from "../caller.ts";
import { type Identity, isInDomains } from "../model/user.ts";
import type { LinkedIdentity } from "../ports/access.ts";
import type { Deps } from "../ports/deps.ts";

/** The caller's identities at issuers where users do not sign in. */
export function listLinkedIdentities(
  deps: Pick<Deps, "linkedIdentities">,
  caller: SignedInUser,
): Promise<Pick<LinkedIdentity, "issuer" | "email">[]> {
  return deps.linkedIdentities.list(caller.user.id);
}

/**
 * Links an identity that the caller has just signed in with, in place of their previous one at this issuer. Assertions
 * of the issuer about it then act for the caller.
 */
export async function linkIdentity(
  deps: Pick<Deps, "transact" | "clock">,
  caller: SignedInUser,
  { issuer, subject, email, emailVerified }: Identity,
  domains: readonly string[],
): Promise<void> {
  if (email === null || !emailVerified || !isInDomains(email, domains)) throw new AppError("forbidden:company_email");
  const userId = caller.user.id;
  const linkedAt = deps.clock();
  await deps.transact(caller, async (tx) => {
    await tx.linkedIdentities.delete(userId, issuer);
    await tx.grants.revokeAsserted(userId, issuer, linkedAt);
    if (!(await tx.linkedIdentities.insert({ issuer, subject, userId, email, linkedAt })))
      throw new AppError("forbidden:linked_identity");
  });
}

/** Also ends the access that the issuer's assertions gave. */
export async function unlinkIdentity(
  deps: Pick<Deps, "transact" | "clock">,
  caller: SignedInUser,
  { issuer }: { issuer: string },
): Promise<void> {
  await deps.transact(caller, async (tx) => {
    await tx.linkedIdentities.delete(caller.user.id, issuer);
    await tx.grants.revokeAsserted(caller.user.id, issuer, deps.clock());
  });
}
