import type { Stores } from "../deps.ts";

export interface Ended {
  sessions: number;
  clients: number;
  uploadLinks: number;
  invitations: number;
}

/**
 * Ends all that a person holds. An invitation of theirs would let them in again under another name, so those are part
 * of it.
 */
export async function endHoldings(
  tx: Pick<Stores, "sessions" | "grants" | "uploads" | "invitations">,
  userId: string,
  now: number,
): Promise<Ended> {
  return {
    sessions: await tx.sessions.deleteOf(userId),
    clients: await tx.grants.revokeOf(userId, now),
    uploadLinks: await tx.uploads.withdrawOf(userId, now),
    invitations: await tx.invitations.revokeOf(userId, now),
  };
}
