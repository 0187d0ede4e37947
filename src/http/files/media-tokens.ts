import { minutes, type Clock } from "#lib/clock.ts";
import type { Signer } from "#lib/signed-token.ts";

/** The one file that a media URL gives access to. */
export interface MediaClaims {
  key: string;
  mimeType: string;
  filename: string;
  expiresAt: number;
}

export interface MediaTokens {
  createUrl(file: { storageKey: string; mimeType: string; filename: string }): string;
  /** Returns undefined for a token that is forged, truncated or expired. */
  verify(token: string): MediaClaims | undefined;
}

export const mediaPathPrefix = "/files/media/";

/** Platforms fetch files while a publication is prepared. The worker retries a publication for an hour. */
const lifetimeMs = minutes(60);

/** Signs the URLs from which platforms fetch the files of a post. The token in the URL is the only credential. */
export function createMediaTokens(signer: Signer, base: string, clock: Clock): MediaTokens {
  return {
    createUrl({ storageKey, mimeType, filename }) {
      const expiresAt = clock() + lifetimeMs;
      // The name of the file may be private, so the URL contains only its extension.
      const claims = { key: storageKey, mimeType, filename: `media${getExtension(filename)}`, expiresAt };
      return `${base}${mediaPathPrefix}${signer.sign("media", claims, expiresAt)}`;
    },
    verify: (token) => signer.verify("media", token) as MediaClaims | undefined,
  };
}

const getExtension = (filename: string): string => /\.[a-z0-9]{1,5}$/i.exec(filename)?.[0].toLowerCase() ?? "";
