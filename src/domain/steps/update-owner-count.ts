import { AppError } from "#lib/errors.ts";
import type { Role } from "../policy.ts";
import type { Tx } from "../ports/deps.ts";

/**
 * Updates a studio's owner count for a change from one role to another; undefined means that the user is not a
 * member. Call this function first in the transaction: if the count changes, it locks the studio's row, which
 * serializes parallel changes of owners.
 */
export async function updateOwnerCount(
  tx: Tx,
  studioId: string,
  from: Role | undefined,
  to: Role | undefined,
): Promise<void> {
  const delta = Number(to === "owner") - Number(from === "owner");
  if (delta === 0) return;
  if (await tx.memberships.adjustOwnerCount(studioId, delta > 0 ? 1 : -1)) return;
  throw new AppError("forbidden:last_owner");
}
