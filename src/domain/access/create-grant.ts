import { recordActivity } from "../changes/record-activity.ts";
import type { Scope, SignedInUser } from "../caller.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";
import { describeMe } from "./me.ts";
import type { Grant } from "../model/grant.ts";

export interface NewGrant {
  clientId: string;
  clientName: string;
  clientVerified: boolean;
  redirectHost: string;
  scopes: readonly Scope[];
}

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
