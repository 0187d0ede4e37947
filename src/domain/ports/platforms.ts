import type { Account, PlatformConnection, PlatformTarget } from "../model/connection.ts";
import type { InstanceLimits } from "../model/platform-limits.ts";
import type { PlatformInfo } from "../model/platform.ts";
import type { AccountChoices } from "#portable/post-options.ts";

/** This server's OAuth client at a platform or platform instance. */
export interface PlatformApp {
  clientId: string;
  clientSecret: string;
}

/** The tokens that a platform issued for an account. */
export interface PlatformTokens {
  accessToken: string;
  refreshToken?: string | undefined;
  /** Remaining lifetime; absent if the token does not expire. */
  expiresInMs?: number | undefined;
  binding?: TokenBinding | undefined;
}

/** For tokens that work only with a key (RFC 9449) and at the account's own server. */
export interface TokenBinding {
  /** The private key, as a JWK. As secret as the tokens. */
  key: { kty: string; crv: string; x: string; y: string; d: string };
  accountId: string;
  /** The authorization server that issued the tokens. */
  issuer: string;
  /** The origin of the account's server. */
  serverUrl: string;
  /** Which of our keys the tokens were issued to, if we authenticated with one. */
  clientKeyId?: string | undefined;
}

/** What calls on behalf of an account need. */
export type AccessToken = Pick<PlatformTokens, "accessToken" | "binding">;

/** The secrets of a started authorization. Only the browser that started it stores them. */
export interface PendingConnect {
  state: string;
  verifier: string;
  /** The key that the platform's tokens will be bound to, if the platform requires one. */
  tokenKey?: string | undefined;
}

/** A `PendingConnect` as the browser's cookie stores it. */
export interface SealedPendingConnect extends Omit<PendingConnect, "tokenKey"> {
  /** Sealed by the vault. */
  tokenKey?: string | undefined;
}

export interface GrantedAccount {
  account: Account;
  tokens: PlatformTokens;
  /** Null if the platform has no instances, or the instance does not state its limits. */
  limits: InstanceLimits | null;
}

/**
 * OAuth with the platforms. `app` is our app at a platform instance; other platforms use the app in the settings.
 * Every request to a platform ends within ten seconds; a failed one rejects with a `PlatformError`.
 */
export interface Platforms {
  list(): readonly PlatformInfo[];
  find(platform: string): PlatformInfo | undefined;
  /** Each platform instance has its own redirect URI, to prevent mix-up attacks. */
  getRedirectUri(target: PlatformTarget): string;
  registerApp(target: PlatformTarget): Promise<PlatformApp>;
  startAuthorization(target: PlatformTarget, app?: PlatformApp): Promise<{ location: string } & PendingConnect>;
  /** Returns the accounts that the user granted access to, at least one, with tokens and their instance's limits. */
  finishAuthorization(
    target: PlatformTarget,
    app: PlatformApp | undefined,
    callback: URL,
    pending: PendingConnect,
  ): Promise<readonly GrantedAccount[]>;
  /** Returns undefined if the platform does not support renewal. */
  renew(
    target: PlatformTarget,
    app: PlatformApp | undefined,
    tokens: PlatformTokens,
  ): Promise<PlatformTokens | undefined>;
  /** Does nothing if the platform does not support revocation. */
  revoke(target: PlatformTarget, app: PlatformApp | undefined, tokens: PlatformTokens): Promise<void>;
}

/** A link to the page where one user connects an account. */
export interface ConnectLink extends PlatformTarget {
  tokenHash: string;
  studioId: string;
  userId: string;
  grantId: string | null;
  client: { id: string; name: string } | null;
  expiresAt: number;
}

export interface RegisteredApp extends PlatformTarget {
  redirectUri: string;
  /** Sealed by the vault. */
  credential: string;
}

export interface CredentialTimes {
  expiresAt: number | null;
  renewAt: number | null;
}

export interface PlatformStore {
  insertConnectLink(link: ConnectLink): Promise<void>;
  /** Finds an unused link whose token or state has not expired at `now` and whose grant is not revoked. */
  findConnectLink(by: { tokenHash: string } | { stateHash: string }, now: number): Promise<ConnectLink | undefined>;
  /** Stores the state that was sent to the platform, and its expiry. Returns false if the link is used or expired. */
  startConnectLink(tokenHash: string, stateHash: string, now: number, stateExpiresAt: number): Promise<boolean>;
  /** Marks the link as used; returns false if it was used before. */
  consumeConnectLink(stateHash: string, now: number): Promise<boolean>;

  findApp(target: PlatformTarget, redirectUri: string): Promise<RegisteredApp | undefined>;
  /** Replaces an app that has another redirect URI. If the redirect URI is the same, the first insert wins. */
  insertApp(app: RegisteredApp, now: number): Promise<void>;
  /** With `credential`, deletes the app only if no other caller has replaced it. */
  deleteApp(target: PlatformTarget, credential?: string): Promise<void>;

  /** Newest first. */
  list(studioId: string): Promise<PlatformConnection[]>;
  listConnected(studioId: string): Promise<PlatformConnection[]>;
  find(studioId: string, connectionId: string): Promise<PlatformConnection | undefined>;
  /**
   * Creates the account's row in this studio, or updates its profile and limits, and returns its id, without
   * connecting it. Returns undefined if the studio has `maxConnections` other connections that are not disconnected.
   * Locks the studio until the transaction ends.
   */
  insertOrUpdate(
    connection: Pick<
      PlatformConnection,
      "id" | "studioId" | "platform" | "instance" | "account" | "limits" | "connectedAt"
    >,
    maxConnections: number,
  ): Promise<string | undefined>;
  /** Stores what the account offers for some options. */
  storeChoices(connectionId: string, choices: AccountChoices, readAt: number): Promise<void>;
  connect(
    connectionId: string,
    sealedCredential: string,
    times: CredentialTimes,
    by: { userId: string; at: number },
  ): Promise<void>;
  /** Acquires the renewal lease; returns false if another caller has it or the generation is outdated. */
  acquireRenewal(connectionId: string, generation: number, now: number, leaseExpiresAt: number): Promise<boolean>;
  /** Schedules the next renewal. The lease holder can also change when its lease expires. */
  postponeRenewal(connectionId: string, generation: number, renewAt: number, leaseExpiresAt?: number): Promise<void>;
  /** Ends the renewal of a credential that the platform does not renew. Returns false if the generation is outdated. */
  keepUntilExpiry(connectionId: string, generation: number, renewAt: number, accessEndsAt: number): Promise<boolean>;
  /** Replaces the credential; returns false if the generation is outdated. */
  renew(connectionId: string, generation: number, sealedCredential: string, times: CredentialTimes): Promise<boolean>;
  /** Deletes the credential; false if the generation is outdated, or the state is this one or `disconnected`. */
  deleteCredential(
    connectionId: string,
    state: "needs_reconnect" | "disconnected",
    generation: number,
  ): Promise<boolean>;
  /** Connections of these platforms that are due at `now` and not being renewed, longest overdue first. */
  listDueForRenewal(platforms: readonly string[], now: number, limit: number): Promise<PlatformConnection[]>;
}
