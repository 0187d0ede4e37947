import { days, minutes } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import type { PlatformConnection } from "./connection.ts";
import type { CredentialTimes, PlatformApp, PlatformTokens } from "./ports.ts";

/** What is sealed: the tokens, and ourselves at the instance that gave them, where we registered there. */
export interface Credential {
  tokens: Pick<PlatformTokens, "accessToken" | "refreshToken">;
  app?: PlatformApp | undefined;
}

type CredentialOwner = Pick<PlatformConnection, "id" | "studioId">;

/** Good in this row of this studio, and nowhere else. */
export function sealCredential(
  { vault }: Pick<Deps, "vault">,
  owner: CredentialOwner,
  { tokens, app }: Credential,
): string {
  const { accessToken, refreshToken } = tokens;
  return vault.seal(
    "platform-credential",
    [owner.id, owner.studioId],
    JSON.stringify({ tokens: { accessToken, refreshToken }, app }),
  );
}

export function openCredential(
  { vault }: Pick<Deps, "vault">,
  owner: CredentialOwner,
  sealedCredential: string,
): Credential {
  return JSON.parse(vault.open("platform-credential", [owner.id, owner.studioId], sealedCredential)) as Credential;
}

/** Ahead of the end by a fifth of its life: five minutes at least where it lives that long, a week at most. */
export function computeCredentialTimes({ expiresInMs }: PlatformTokens, now: number): CredentialTimes {
  if (expiresInMs === undefined) return { expiresAt: null, renewAt: null };
  const preferredLeadMs = Math.min(Math.max(expiresInMs / 5, minutes(5)), days(7));
  const leadMs = Math.min(preferredLeadMs, expiresInMs / 2);
  return { expiresAt: now + expiresInMs, renewAt: now + Math.floor(expiresInMs - leadMs) };
}
