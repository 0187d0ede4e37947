import type { Stores } from "../deps.ts";

export interface RevokedAccess {
  sessions: number;
  clients: number;
  uploadLinks: number;
  invitations: number;
}

/**
 * Ends all that a person holds. An invitation of theirs would let them in again under another name, so those are part
 * of it.
 */
export async function revokeAllAccess(
  tx: Pick<Stores, "sessions" | "grants" | "uploads" | "invitations">,
  userId: string,
  now: number,
): Promise<RevokedAccess> {
  return {
    sessions: await tx.sessions.deleteForUser(userId),
    clients: await tx.grants.revokeForUser(userId, now),
    uploadLinks: await tx.uploads.withdrawForUser(userId, now),
    invitations: await tx.invitations.revokeForUser(userId, now),
  };
}
