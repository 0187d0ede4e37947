import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../deps.ts";

export interface StudioLimits {
  /** How many studios one user may own. */
  studiosPerUser: number;
}

/**
 * Throws `quota_exceeded` unless the user may own one more studio. Called in the transaction that makes them an owner,
 * where parallel changes for the same user wait for each other.
 */
export async function checkOwnedStudios(
  { limits }: Pick<Deps, "limits">,
  tx: Pick<Stores, "memberships">,
  userId: string,
  isCaller: boolean,
): Promise<void> {
  if ((await tx.memberships.countOwnedForUpdate(userId)) < limits.studiosPerUser) return;
  throw new AppError(isCaller ? "quota_exceeded:own_studios" : "quota_exceeded:owned_studios", {
    limit: limits.studiosPerUser,
  });
}
