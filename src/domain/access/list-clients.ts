import { isoTime } from "#lib/clock.ts";
import type { Caller, Person, Scope } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, may } from "../policy.ts";
import type { ListedGrant } from "./ports.ts";

export interface ClientView {
  /** The approval, which is what can be revoked; a client may have many. */
  id: string;
  clientId: string;
  clientName: string;
  verified: boolean;
  redirectHost: string;
  user: Person;
  /** Where it acts now. */
  studioId: string | null;
  scopes: readonly Scope[];
  grantedAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** The AI clients people let in: the caller's own, wherever they act, and for owners and admins all that act in this studio. */
export async function listClients(deps: Pick<Deps, "grants">, caller: Caller): Promise<{ clients: ClientView[] }> {
  authorize(caller, "clients.list");
  const grants = await deps.grants.listForStudio(caller.studio.id, {
    userId: caller.user.id,
    others: may(caller.role, "clients.listAll"),
  });
  return { clients: grants.map(viewClient) };
}

export function viewClient(grant: ListedGrant): ClientView {
  return {
    id: grant.id,
    clientId: grant.clientId,
    clientName: grant.clientName,
    verified: grant.clientVerified,
    redirectHost: grant.redirectHost,
    user: { id: grant.userId, name: grant.userName, email: grant.userEmail },
    studioId: grant.actsIn,
    scopes: grant.scopes,
    grantedAt: isoTime(grant.grantedAt),
    lastUsedAt: grant.lastUsedAt === null ? null : isoTime(grant.lastUsedAt),
    revokedAt: grant.revokedAt === null ? null : isoTime(grant.revokedAt),
  };
}
