import type { Deps } from "#domain/ports/deps.ts";
import { days } from "#lib/clock.ts";

/** A session of legacy protocol versions. Its signed id contains all of this; the server stores only subscriptions. */
export interface Session {
  /** Only tokens of this grant can use the session. */
  grantId: string;
  /** The user's active studio when the session started. It does not change during the session. */
  studioId: string;
  /** The negotiated protocol version. */
  protocolVersion: string;
  /** Whether the client can show in-chat apps. */
  supportsApps: boolean;
}

/** As long as a client can refresh its tokens after the consent (`src/auth/provider.ts`). */
export const sessionLifetime = days(90);

export interface SessionIdCodec {
  encode(session: Session): string;
  /** Returns undefined for a forged or expired id. */
  decode(id: string): Session | undefined;
}

export function createSessionIdCodec({
  signer,
  clock,
  newSecret,
}: Pick<Deps, "signer" | "clock" | "newSecret">): SessionIdCodec {
  return {
    // The nonce separates sessions of one grant, so that one cannot cancel requests of another.
    encode: ({ grantId, studioId, protocolVersion, supportsApps }) =>
      signer.sign(
        "mcp-session",
        { g: grantId, s: studioId, v: protocolVersion, n: newSecret().slice(0, 8), ...(supportsApps ? { a: 1 } : {}) },
        clock() + sessionLifetime,
      ),
    decode(id) {
      const claims = signer.verify("mcp-session", id) as { g: string; s: string; v: string; a?: 1 } | undefined;
      return (
        claims && { grantId: claims.g, studioId: claims.s, protocolVersion: claims.v, supportsApps: claims.a === 1 }
      );
    },
  };
}
