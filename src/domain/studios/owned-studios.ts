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
  const most = `${limits.studiosPerUser} ${limits.studiosPerUser === 1 ? "studio" : "studios"}`;
  if (isCaller)
    throw new AppError(
      "quota_exceeded",
      `You can own at most ${most} on this server.`,
      "Delete a studio you no longer need, or leave one that has another owner, then try again.",
    );
  throw new AppError(
    "quota_exceeded",
    `This person can't own another studio: one person can own at most ${most} on this server.`,
    "Choose another member, or ask them to delete or leave a studio they own first.",
  );
}
