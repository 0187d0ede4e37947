import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller, Job, Operator, SignedInUser } from "../caller.ts";
import { type ApprovalRule, isLowerRole, mayPublishWithoutApproval, type Role } from "../policy.ts";

/** On whose authority a transaction makes its changes. */
export type Authority = Caller | SignedInUser | Operator | Job;

/** What a credential allows at the start of a transaction. */
export interface CurrentAccess {
  /** Undefined for a user who has not chosen a studio. */
  membership: { role: Role; approval: ApprovalRule } | undefined;
}

/**
 * Checks the authority of a transaction before it changes anything: a call that started before a removal, demotion,
 * revocation or sign-out must change nothing after it, however long its body, import or upload takes. `access` is what
 * the transaction read; undefined if the credential is no longer valid, or the user no longer a member. Throws unless
 * the caller may do at least what they could when the call started.
 */
export function checkAuthority(authority: Authority, access: CurrentAccess | undefined): { mayPublish: boolean } {
  if (!isUser(authority)) return { mayPublish: false };
  if (!access) throw accessEndedError(authority);
  if (!("studio" in authority) || !access.membership) return { mayPublish: false };
  const { role, approval } = access.membership;
  if (isLowerRole(role, authority.role)) throw new AppError("forbidden:access_changed");
  // Anyone with a link can use it, so what arrives through it always needs an approval.
  const isLink = authority.credential.kind === "uploadLink" || authority.credential.kind === "reviewLink";
  return { mayPublish: !isLink && mayPublishWithoutApproval({ ...authority, role }, approval) };
}

/** Whether the authority is that of a user, whose access may end. */
export const isUser = (authority: Authority): authority is SignedInUser | Caller => "user" in authority;

/** The error of a call that starts after the access has ended. */
function accessEndedError(authority: SignedInUser | Caller): AppError {
  switch (authority.credential.kind) {
    case "session":
      return "studio" in authority ? notFoundError("studio") : new AppError("unauthenticated");
    case "grant":
      return new AppError("forbidden:access_changed");
    case "uploadLink":
      return new AppError("forbidden:upload_link_withdrawn");
    case "reviewLink":
      return new AppError("review_ended");
  }
}
