import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller, Credential, Job, Operator, SignedInUser } from "../caller.ts";
import type { TransactOptions } from "../deps.ts";
import { isLowerRole, mayPublishWithoutApproval, type ApprovalRule, type Role } from "../policy.ts";

/** On whose authority a transaction makes its changes. */
export type Authority = Caller | SignedInUser | Operator | Job;

export interface AuthorityQuery extends TransactOptions {
  userId: string;
  credential: Credential;
}

export interface AuthorityStore {
  /**
   * Whether the user is enabled and the credential still valid. Like `findMembership`, locks what it reads: whatever
   * ends this authority waits for the transaction, or has already ended it.
   */
  isValid(query: AuthorityQuery): Promise<boolean>;
  /** The user's membership in a studio; undefined if they have none, or if `isValid` would return false. */
  findMembership(
    query: AuthorityQuery & { studioId: string },
  ): Promise<{ role: Role; approval: ApprovalRule } | undefined>;
}

/**
 * Runs at the start of every transaction: a call that started before a removal, demotion, revocation or sign-out must
 * change nothing after it, however long its body, import or upload takes. Throws unless the authority is at least what
 * it was when the call started.
 */
export async function checkAuthority(
  store: AuthorityStore,
  authority: Authority,
  options: TransactOptions = {},
): Promise<{ mayPublish: boolean }> {
  if (!("user" in authority)) return { mayPublish: false };
  const query = { ...options, userId: authority.user.id, credential: authority.credential };
  if (!("studio" in authority)) {
    if (!(await store.isValid(query))) throw accessEndedError(authority);
    return { mayPublish: false };
  }
  const membership = await store.findMembership({ ...query, studioId: authority.studio.id });
  if (!membership) throw accessEndedError(authority);
  const { role, approval } = membership;
  if (isLowerRole(role, authority.role)) throw new AppError("forbidden:access_changed");
  // Anyone with an upload link can upload, so what arrives through it always needs an approval.
  const isUploadLink = authority.credential.kind === "uploadLink";
  return { mayPublish: !isUploadLink && mayPublishWithoutApproval({ ...authority, role }, approval) };
}

/** The error of a call that starts after the access has ended. */
function accessEndedError(authority: SignedInUser | Caller): AppError {
  switch (authority.credential.kind) {
    case "session":
      return "studio" in authority ? notFoundError("studio") : new AppError("unauthenticated");
    case "grant":
      return new AppError("forbidden:access_changed");
    case "uploadLink":
      return new AppError("forbidden:upload_link_withdrawn");
  }
}
