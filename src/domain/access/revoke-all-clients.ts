import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, may } from "../policy.ts";
import { revokeGrant } from "./revoke-client.ts";

/** Ends every approval the caller may end from here: their own wherever they act, and for owners and admins all of the studio. */
export async function revokeAllClients(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
): Promise<{ revoked: number }> {
  authorize(caller, "clients.revoke");
  const filter = { userId: caller.user.id, others: may(caller.role, "clients.revokeAny"), ended: false };
  return deps.transact(async (tx) => {
    let revoked = 0;
    for (const grant of await tx.grants.listForStudio(caller.studio.id, filter))
      if (await revokeGrant(deps, tx, caller, grant)) revoked++;
    return { revoked };
  });
}
