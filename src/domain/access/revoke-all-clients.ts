import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, may } from "../policy.ts";

/** Ends every approval the caller may end from here: their own wherever they act, and for owners and admins all of the studio. */
export async function revokeAllClients(
  deps: Pick<Deps, "grants" | "transact" | "newId" | "clock">,
  caller: Caller,
): Promise<{ revoked: number }> {
  authorize(caller, "clients.revoke");
  const view = { userId: caller.user.id, others: may(caller.role, "clients.revokeAny"), ended: false };
  return deps.transact(async (tx) => {
    let revoked = 0;
    for (const grant of await tx.grants.listForStudio(caller.studio.id, view)) {
      if (!(await tx.grants.revoke(grant.id, deps.clock()))) continue;
      revoked++;
      const studio = { id: grant.actsIn ?? caller.studio.id };
      const detail = { clientId: grant.clientId, clientName: grant.clientName, userId: grant.userId };
      await recordActivity(deps, tx, { ...caller, studio }, "client.revoked", grant.id, detail);
    }
    return { revoked };
  });
}
