import { createHash, randomBytes } from "node:crypto";

/** The client credentials and the tokens of one account, for stand-ins of platforms that use OAuth 2.0. */
export interface AccountTokens {
  clientId: string;
  clientSecret: string;
  accessToken: string;
  refreshToken: string;
  scopes: Set<string>;
  /** Makes the current access token expire. */
  expire(): void;
  stateOf(accessToken: string): "valid" | "expired" | "unknown";
  /** Consents, as the user does on the authorization page. Returns the callback URL. */
  authorize(location: string): string;
  /**
   * Executes a token request; returns false if it is invalid. A valid request replaces both tokens, and its code or
   * refresh token can't be used again.
   */
  grant(form: URLSearchParams): boolean;
}

interface AuthorizationCode {
  redirectUri: string;
  scopes: string[];
  challenge: string | null;
}

export interface TokenOptions {
  /** The path of the authorization page. */
  authorizationPath: string;
  scopes: readonly string[];
  /** Whether the platform requires a code challenge (RFC 7636). */
  requiresPkce: boolean;
}

export function createAccountTokens({ authorizationPath, scopes, requiresPkce }: TokenOptions): AccountTokens {
  const createSecret = (): string => randomBytes(24).toString("base64url");
  const expiredTokens = new Set<string>();
  const codes = new Map<string, AuthorizationCode>();

  function replaceTokens(): void {
    expiredTokens.add(tokens.accessToken);
    tokens.accessToken = createSecret();
    tokens.refreshToken = createSecret();
  }

  function redeemCode(form: URLSearchParams): boolean {
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verifier = form.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    if (!code || code.redirectUri !== form.get("redirect_uri")) return false;
    if (code.challenge !== null && code.challenge !== challenge) return false;
    tokens.scopes = new Set(code.scopes);
    replaceTokens();
    return true;
  }

  const tokens: AccountTokens = {
    clientId: "the-client-id",
    clientSecret: "the-client-secret",
    accessToken: createSecret(),
    refreshToken: createSecret(),
    scopes: new Set(scopes),
    expire: () => void expiredTokens.add(tokens.accessToken),
    stateOf(accessToken) {
      if (expiredTokens.has(accessToken)) return "expired";
      return accessToken === tokens.accessToken ? "valid" : "unknown";
    },
    authorize(location) {
      const { pathname, searchParams } = new URL(location);
      const read = (name: string): string => {
        const value = searchParams.get(name);
        if (!value) throw new Error(`The authorization request has no ${name}: ${location}`);
        return value;
      };
      const isExpected =
        pathname === authorizationPath && read("response_type") === "code" && read("client_id") === tokens.clientId;
      const usesPkce = searchParams.get("code_challenge_method") === "S256" && searchParams.has("code_challenge");
      if (!isExpected || (requiresPkce && !usesPkce)) throw new Error(`Invalid authorization request: ${location}`);
      const code = createSecret();
      const challenge = searchParams.get("code_challenge");
      codes.set(code, { redirectUri: read("redirect_uri"), scopes: read("scope").split(" "), challenge });
      const callback = new URL(read("redirect_uri"));
      callback.searchParams.set("code", code);
      callback.searchParams.set("state", read("state"));
      return callback.href;
    },
    grant(form) {
      if (form.get("grant_type") === "authorization_code") return redeemCode(form);
      if (form.get("grant_type") !== "refresh_token" || form.get("refresh_token") !== tokens.refreshToken) return false;
      replaceTokens();
      return true;
    },
  };
  return tokens;
}
