import { recordActivity } from "../activity/record.ts";
import type { Caller, Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";

/** Lets an approval act in the caller's studio from now on. Conversations that share it move together, so the studio's activity tells. */
export async function moveGrant(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: { grantId: string },
): Promise<void> {
  authorize(caller, "studio.read");
  await deps.transact(async (tx) => {
    if (await tx.grants.moveStudio(input.grantId, caller.studio.id))
      await recordActivity(deps, tx, caller, "client.moved", input.grantId);
  });
}

export interface ForcedRevocation {
  grantId: string;
  /** The client gave it back, or something of it was used a second time, which is how a theft shows; or the operator did. */
  reason: "given back" | "used twice" | "ended by the operator";
}

const operator: Operator = { operator: true };

/**
 * Ends an approval without its person being asked, with everything that hangs on it. The studio it acts in can read
 * why. False where there was nothing to end.
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
  return deps.transact(async (tx) => {
    if (!(await tx.grants.revoke(grant.id, deps.clock()))) return false;
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
