import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import type { Caller, Person, Scope } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { pageInput, parseCursor, toPage } from "../page.ts";
import { authorize, may } from "../policy.ts";
import { toDayNumber, callHistoryDays } from "./call-counts.ts";
import type { ListedGrant } from "./ports.ts";

export const listClientsInput = z.strictObject({
  ended: z.boolean().optional().describe("true: only revoked grants. false: only active ones."),
  mine: z.boolean().optional().describe("Only the caller's own grants."),
  ...pageInput,
});

export interface GrantView {
  /** The id of the grant, not of the client, which can have several grants. */
  id: string;
  clientId: string;
  clientName: string;
  verified: boolean;
  redirectHost: string;
  user: Person;
  /** The studio that the client's next call acts on. */
  studioId: string | null;
  scopes: readonly Scope[];
  grantedAt: string;
  lastUsedAt: string | null;
  /** Tool calls in the last 30 days. */
  calls: number;
  revokedAt: string | null;
}

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

export function toGrantView(grant: ListedGrant): GrantView {
  return {
    id: grant.id,
    clientId: grant.clientId,
    clientName: grant.clientName,
    verified: grant.clientVerified,
    redirectHost: grant.redirectHost,
    user: { id: grant.userId, name: grant.userName, email: grant.userEmail },
    studioId: grant.effectiveStudioId,
    scopes: grant.scopes,
    grantedAt: toIsoTime(grant.grantedAt),
    lastUsedAt: grant.lastUsedAt === null ? null : toIsoTime(grant.lastUsedAt),
    calls: grant.calls,
    revokedAt: grant.revokedAt === null ? null : toIsoTime(grant.revokedAt),
  };
}
