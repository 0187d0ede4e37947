import { AppError } from "#lib/errors.ts";
import type { Stores } from "../deps.ts";
import type { Role } from "../policy.ts";

/**
 * Keeps a studio's count of owners true to a change from one role to another (undefined: no member).
 * Always first in its transaction: the studio's row is what parallel changes queue on.
 */
export async function countOwners(
  tx: Pick<Stores, "memberships">,
  studioId: string,
  from: Role | undefined,
  to: Role | undefined,
): Promise<void> {
  const by = Number(to === "owner") - Number(from === "owner");
  if (by === 0) return;
  if (await tx.memberships.moveOwnerCount(studioId, by > 0 ? 1 : -1)) return;
  throw new AppError("forbidden:last_owner");
}
