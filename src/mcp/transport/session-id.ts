import { days, type Clock } from "#lib/clock.ts";
import type { Signer } from "#lib/signed-token.ts";

/** What a session of the 2025 wire is: all of it stands in its id, none of it in this process. */
export interface Session {
  /** Good for tokens of this grant only. */
  grantId: string;
  /** The user's active studio when the session began. It does not move. */
  studioId: string;
  /** The protocol revision agreed on. */
  revision: string;
}

/** As long as a grant can live. */
const sessionLifetime = days(90);

export interface SessionIdCodec {
  encode(session: Session): string;
  /** Undefined for an id that is forged or too old. */
  decode(id: string): Session | undefined;
}

export function createSessionIdCodec(signer: Signer, clock: Clock, newSecret: () => string): SessionIdCodec {
  return {
    // The nonce keeps two sessions of one grant apart where one of them cancels a request.
    encode: ({ grantId, studioId, revision }) =>
      signer.sign(
        "mcp-session",
        { g: grantId, s: studioId, v: revision, n: newSecret().slice(0, 8) },
        clock() + sessionLifetime,
      ),
    decode(id) {
      const claims = signer.verify("mcp-session", id) as { g: string; s: string; v: string } | undefined;
      return claims && { grantId: claims.g, studioId: claims.s, revision: claims.v };
    },
  };
}
