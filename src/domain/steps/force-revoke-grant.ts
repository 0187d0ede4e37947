import type { Operator } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Deps } from "../ports/deps.ts";

export interface ForcedRevocation {
  grantId: string;
  /** The client revoked it, a code or refresh token was reused (a sign of theft), or the operator revoked it. */
  reason: "given back" | "used twice" | "ended by the operator";
}

const operator: Operator = { operator: true };

/**
 * Revokes a grant and its tokens without a request from its user. Records the reason in the activity of the grant's
 * studio, or of another studio of the user if they have left it; if they have no studio, nothing is recorded.
 * Returns false if the grant does not exist or is already revoked.
 */
export async function forceRevokeGrant(
  deps: Pick<Deps, "grants" | "users" | "transact" | "newId" | "clock">,
  input: ForcedRevocation,
): Promise<boolean> {
  const grant = await deps.grants.find(input.grantId);
  if (grant?.revokedAt !== null) return false;
  const [user, memberships] = await Promise.all([
    deps.users.find(grant.userId),
    deps.users.listMemberships(grant.userId),
  ]);
  const membership = memberships.find(({ studioId }) => studioId === grant.studioId) ?? memberships[0];
  const client = { id: grant.clientId, name: grant.clientName };
  return deps.transact(operator, async (tx) => {
    const blocksAssertions = input.reason === "ended by the operator";
    if (!(await tx.grants.revoke(grant.id, deps.clock(), { blocksAssertions }))) return false;
    if (!user || !membership) return true;
    const actor = input.reason === "ended by the operator" ? operator : { user, client };
    const detail = { clientId: grant.clientId, clientName: grant.clientName, userId: grant.userId };
    const studio = { id: membership.studioId };
    await recordActivity(deps, tx, { ...actor, studio }, "client.revoked", grant.id, {
      ...detail,
      because: input.reason,
    });
    return true;
  });
}
