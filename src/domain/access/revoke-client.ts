import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { authorize, may } from "../policy.ts";
import type { ListedGrant } from "../model/grant.ts";

/** Revokes a grant: the client's next call is rejected. Idempotent. */
export async function revokeClient(
  deps: Pick<Deps, "grants" | "transact" | "newId" | "clock">,
  caller: Caller,
  input: { grantId: string },
): Promise<void> {
  authorize(caller, "clients.revoke");
  const filter = {
    userId: caller.user.id,
    includeOthers: may(caller.role, "clients.revokeAny"),
    grantId: input.grantId,
  };
  const [grant] = isId("grant", input.grantId) ? await deps.grants.listVisible(caller.studio.id, filter) : [];
  if (!grant) throw notFoundError("client");
  await deps.transact(caller, (tx) => revokeGrant(deps, tx, caller, grant));
}

/** Returns false if already revoked. Records the activity in the grant's studio, which may differ from the caller's. */
async function revokeGrant(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  grant: ListedGrant,
): Promise<boolean> {
  if (!(await tx.grants.revoke(grant.id, deps.clock()))) return false;
  const studio = { id: grant.effectiveStudioId ?? caller.studio.id };
  const detail = { clientId: grant.clientId, clientName: grant.clientName, userId: grant.userId };
  await recordActivity(deps, tx, { ...caller, studio }, "client.revoked", grant.id, detail);
  return true;
}

/** Grants per transaction: few, so that other writes wait only briefly. */
const batchSize = 50;

/**
 * Revokes the caller's grants in all studios; for owners and admins also every grant that acts on this studio. The
 * newest come first, in several transactions; if one fails, the earlier ones have taken effect.
 */
export async function revokeAllClients(
  deps: Pick<Deps, "grants" | "transact" | "newId" | "clock">,
  caller: Caller,
): Promise<{ revoked: number }> {
  authorize(caller, "clients.revoke");
  const filter = { userId: caller.user.id, includeOthers: may(caller.role, "clients.revokeAny"), isRevoked: false };
  let revokedCount = 0;
  for (;;) {
    const grants = await deps.grants.listVisible(caller.studio.id, { ...filter, limit: batchSize });
    revokedCount += await deps.transact(caller, async (tx) => {
      let count = 0;
      for (const grant of grants) if (await revokeGrant(deps, tx, caller, grant)) count++;
      return count;
    });
    if (grants.length < batchSize) return { revoked: revokedCount };
  }
}
