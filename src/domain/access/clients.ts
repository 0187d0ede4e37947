import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import {
  callHistoryDays,
  type Grant,
  type GrantView,
  type ListedGrant,
  toDayNumber,
  toGrantView,
} from "../model/grant.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import { authorize, may } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { describeMe } from "./me.ts";

export type NewGrant = Pick<Grant, "clientId" | "clientName" | "clientVerified" | "redirectHost" | "scopes">;

type GrantDeps = Pick<Deps, "users" | "transact" | "newId" | "clock">;

/** Stores a user's grant for a client. The grant acts on the user's active studio. */
export function createGrant(deps: GrantDeps, caller: SignedInUser, input: NewGrant): Promise<Grant> {
  return retryOnConflict(() => createGrantOnce(deps, caller, input));
}

/** Throws `ConflictError` if the user's active studio is deleted meanwhile. */
async function createGrantOnce(deps: GrantDeps, caller: SignedInUser, input: NewGrant): Promise<Grant> {
  const { activeStudioId } = await describeMe(deps, caller);
  const grant: Grant = {
    id: deps.newId("grant"),
    userId: caller.user.id,
    ...input,
    studioId: activeStudioId,
    grantedAt: deps.clock(),
    lastUsedAt: null,
    revokedAt: null,
  };
  await deps.transact(caller, async (tx) => {
    if (activeStudioId !== null && !(await tx.memberships.isMemberForShare(activeStudioId, caller.user.id)))
      throw new ConflictError();
    await tx.grants.insert(grant);
    if (activeStudioId === null) return;
    const actor = {
      user: caller.user,
      studio: { id: activeStudioId },
      client: { id: input.clientId, name: input.clientName },
    };
    await recordActivity(deps, tx, actor, "client.approved", grant.id, {
      scopes: input.scopes,
      redirectHost: input.redirectHost,
    });
  });
  return grant;
}

export const listClientsInput = z.strictObject({
  ended: z.boolean().optional().describe("true: only revoked grants. false: only active ones."),
  mine: z.boolean().optional().describe("Only the caller's own grants."),
  ...pageInput,
});

/** Lists the caller's grants in all studios and, for owners and admins, every grant that acts on this studio. */
export async function listClients(
  deps: Pick<Deps, "grants" | "clock">,
  caller: Caller,
  { ended, mine = false, limit, cursor }: z.infer<typeof listClientsInput>,
): Promise<{ clients: GrantView[]; nextCursor: string | null }> {
  authorize(caller, "clients.list");
  const listKey = `clients ${caller.studio.id} ${JSON.stringify([ended, mine])}`;
  const grants = await deps.grants.listVisible(caller.studio.id, {
    userId: caller.user.id,
    includeOthers: !mine && may(caller.role, "clients.listAll"),
    isRevoked: ended,
    before: parseCursor(cursor, listKey),
    limit: limit + 1,
    callsSince: toDayNumber(deps.clock()) - callHistoryDays + 1,
  });
  const { items, nextCursor } = toPage(grants, limit, listKey);
  return { clients: items.map(toGrantView), nextCursor };
}

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

/** Moves a grant to the caller's studio. All conversations with this grant move too, so activity records the move. */
export async function moveGrant(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: { grantId: string },
): Promise<void> {
  authorize(caller, "studio.read");
  const move = async (tx: Tx): Promise<void> => {
    if (await tx.grants.moveStudio(input.grantId, caller.studio.id))
      await recordActivity(deps, tx, caller, "client.moved", input.grantId);
  };
  await deps.transact(caller, move, { changesAccess: true });
}
