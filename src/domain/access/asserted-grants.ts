import { AppError } from "#lib/errors.ts";
import type { Person } from "../caller.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";
import { insertGrant, type NewGrant } from "./clients.ts";
import { describeMe } from "./me.ts";

/**
 * Returns the id of the grant that the assertions of a company's issuer share, and creates it on the first one. Throws
 * `forbidden` if a person revoked it, or if the user has no studio or is disabled.
 */
export function grantByAssertion(
  deps: Pick<Deps, "users" | "transact" | "newId" | "clock">,
  user: Person,
  input: NewGrant & { issuer: string },
): Promise<string> {
  return retryOnConflict(async () => {
    const { activeStudioId } = await describeMe(deps, { user });
    if (activeStudioId === null) throw new AppError("forbidden:no_studio");
    return deps.transact({ job: "assertion" }, async (tx) => {
      // Disabling a user revokes their grants, so a grant must not be created right after that.
      const currentUser = await tx.users.find(user.id);
      if (!currentUser) throw new ConflictError();
      if (currentUser.disabledAt !== null) throw new AppError("forbidden:account_disabled");
      const previousGrant = await tx.grants.findAsserted(user.id, input.clientId, input.issuer);
      if (previousGrant?.isBlocked === true) throw new AppError("forbidden:client_blocked");
      if (previousGrant) {
        await tx.grants.setScopes(previousGrant.id, input.scopes);
        return previousGrant.id;
      }
      const { id } = await insertGrant(deps, tx, user, activeStudioId, input);
      return id;
    });
  });
}
