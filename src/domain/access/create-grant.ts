import { recordActivity } from "../activity/record.ts";
import type { Scope, SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { describeMe } from "./me.ts";
import type { Grant } from "./ports.ts";

export interface NewGrant {
  clientId: string;
  clientName: string;
  clientVerified: boolean;
  redirectHost: string;
  scopes: readonly Scope[];
}

/** Stores a user's grant for a client. The grant acts on the user's active studio. */
export async function createGrant(
  deps: Pick<Deps, "users" | "transact" | "newId" | "clock">,
  caller: SignedInUser,
  input: NewGrant,
): Promise<Grant> {
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
  await deps.transact(async (tx) => {
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
