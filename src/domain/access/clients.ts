import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Caller, Person, SignedInUser } from "../caller.ts";
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
  return deps.transact(caller, (tx) => insertGrant(deps, tx, caller.user, activeStudioId, { ...input, issuer: null }));
}

/** Throws `ConflictError` if the user has left the studio, or if another call has stored a grant by assertion. */
export async function insertGrant(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  user: Person,
  studioId: string | null,
  input: NewGrant & Pick<Grant, "issuer">,
): Promise<Grant> {
  const grant: Grant = {
    id: deps.newId("grant"),
    userId: user.id,
    ...input,
    studioId,
    grantedAt: deps.clock(),
    lastUsedAt: null,
    revokedAt: null,
    isBlocked: false,
  };
  if (studioId !== null && !(await tx.memberships.isMemberForShare(studioId, user.id))) throw new ConflictError();
  if (!(await tx.grants.insert(grant))) throw new ConflictError();
  if (studioId === null) return grant;
  const { clientId, clientName, scopes, redirectHost, issuer } = input;
  const actor = { user, studio: { id: studioId }, client: { id: clientId, name: clientName } };
  if (issuer === null) await recordActivity(deps, tx, actor, "client.approved", grant.id, { scopes, redirectHost });
  else await recordActivity(deps, tx, actor, "client.connected", grant.id, { scopes, issuer });
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
  if (!(await tx.grants.revoke(grant.id, deps.clock(), { blocksAssertions: true }))) return false;
  const studio = { id: grant.effectiveStudioId ?? caller.studio.id };
  const detail = { clientId: grant.clientId, clientName: grant.clientName, userId: grant.userId };
  await recordActivity(deps, tx, { ...caller, studio }, "client.revoked", grant.id, detail);
  return true;
}

/** Lets assertions of a company's issuer give a client access again, after a person revoked it. Idempotent. */
export async function allowClient(
  deps: Pick<Deps, "grants" | "transact" | "newId" | "clock">,
  caller: Caller,
  input: { grantId: string },
): Promise<void> {
  authorize(caller, "clients.revoke");
  const filter = { userId: caller.user.id, includeOthers: false, grantId: input.grantId };
  const [grant] = isId("grant", input.grantId) ? await deps.grants.listVisible(caller.studio.id, filter) : [];
  if (!grant) throw notFoundError("client");
  await deps.transact(caller, async (tx) => {
    if (!(await tx.grants.unblock(grant.id))) return;
    const detail = { clientId: grant.clientId, clientName: grant.clientName, issuer: grant.issuer };
    await recordActivity(deps, tx, caller, "client.allowed", grant.id, detail);
  });
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
