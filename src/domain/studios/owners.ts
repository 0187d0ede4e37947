import { AppError } from "#lib/errors.ts";
import type { Stores } from "../deps.ts";
import type { Role } from "../policy.ts";

/**
 * Keeps a studio's count of owners true to a change from one role to another (undefined: no member).
 * Always first in its transaction: the studio's row is what parallel changes queue on.
 */
export async function updateOwnerCount(
  tx: Pick<Stores, "memberships">,
  studioId: string,
  from: Role | undefined,
  to: Role | undefined,
): Promise<void> {
  const delta = Number(to === "owner") - Number(from === "owner");
  if (delta === 0) return;
  if (await tx.memberships.adjustOwnerCount(studioId, delta > 0 ? 1 : -1)) return;
  throw new AppError("forbidden:last_owner");
}
