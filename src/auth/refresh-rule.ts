import type { Deps } from "#domain/ports/deps.ts";
import { seconds } from "#lib/clock.ts";

/** How long the previous refresh token stays valid: a client may miss a response, or refresh twice in parallel. */
const refreshGraceMs = seconds(30);

/**
 * Accepts a refresh token and rotates its grant. Every rotation increments the grant's generation; a token is valid
 * while its generation is current, and during the grace period after that (RFC 9700 §4.14.2).
 */
export async function acceptRefreshToken(
  { oauthRecords, clock }: Pick<Deps, "oauthRecords" | "clock">,
  token: { grantId: string | null; generation: number | null } | undefined,
): Promise<boolean> {
  if (token?.grantId == null) return false;
  return oauthRecords.rotate(token.grantId, token.generation ?? 0, clock(), refreshGraceMs);
}
