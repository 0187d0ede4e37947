import type { Account, PlatformConnection, PlatformTarget } from "./connection.ts";
import type { PostLimits } from "./limits.ts";

/** What the domain knows of a platform. */
export interface PlatformInfo {
  id: string;
  name: string;
  /** Anyone can run one: an account is at an instance. */
  hasInstances: boolean;
  /** We have what it takes to ask for access there. */
  isConfigured: boolean;
  limits: PostLimits;
}

/** Ourselves as an application at a platform. */
export interface PlatformApp {
  clientId: string;
  clientSecret: string;
}

/** What a platform gave us for an account. */
export interface PlatformTokens {
  accessToken: string;
  refreshToken?: string | undefined;
  /** Milliseconds it lives from now; absent: until it is revoked. */
  expiresInMs?: number | undefined;
}

/** A connect that has gone to the platform and has not come back: what only the browser that began it knows. */
export interface PendingConnect {
  state: string;
  verifier: string;
}

/**
 * The platforms and their OAuth, wherever they are. `app` is ours at an instance; platforms that have settings use
 * those. Every call ends within ten seconds, and fails with a `PlatformFailure`.
 */
export interface Platforms {
  list(): readonly PlatformInfo[];
  find(platform: string): PlatformInfo | undefined;
  /** Where the platform sends people back to. Each instance has its own, so that none can pass for another. */
  redirectUri(target: PlatformTarget): string;
  registerApp(target: PlatformTarget): Promise<PlatformApp>;
  startAuthorization(target: PlatformTarget, app?: PlatformApp): Promise<{ location: string } & PendingConnect>;
  /** Every account that the person gave us, with tokens; never none. */
  finishAuthorization(
    target: PlatformTarget,
    app: PlatformApp | undefined,
    callback: URL,
    pending: PendingConnect,
  ): Promise<readonly { account: Account; tokens: PlatformTokens }[]>;
  /** Undefined where the platform has no way to renew them. */
  renew(
    target: PlatformTarget,
    app: PlatformApp | undefined,
    tokens: PlatformTokens,
  ): Promise<PlatformTokens | undefined>;
  /** Does nothing where the platform has no way to do it. */
  revoke(target: PlatformTarget, app: PlatformApp | undefined, tokens: PlatformTokens): Promise<void>;
}

/** A page on which a person connects an account, as one look-up finds it. */
export interface ConnectPage extends PlatformTarget {
  tokenHash: string;
  studioId: string;
  userId: string;
  grantId: string | null;
  client: { id: string; name: string } | null;
  expiresAt: number;
}

export interface RegisteredApp extends PlatformTarget {
  redirectUri: string;
  /** Sealed. */
  credential: string;
}

/** When a credential ends, and when it is renewed ahead of that. */
export interface CredentialTimes {
  expiresAt: number | null;
  renewAt: number | null;
}

export interface PlatformStore {
  insertPage(page: ConnectPage): Promise<void>;
  /** A page that is not used, whose token or state has not expired at `now`, and whose client is still approved. */
  findPage(by: { tokenHash: string } | { stateHash: string }, now: number): Promise<ConnectPage | undefined>;
  /** Remembers which state went to the platform, and until when it may come back. False where the page is no good. */
  startPage(tokenHash: string, stateHash: string, now: number, stateExpiresAt: number): Promise<boolean>;
  /** Uses it up: true once. */
  usePage(stateHash: string, now: number): Promise<boolean>;

  findApp(target: PlatformTarget, redirectUri: string): Promise<RegisteredApp | undefined>;
  /** Replaces one that was registered with another address of ours; of two at once the first stays. */
  insertApp(app: RegisteredApp, now: number): Promise<void>;
  /** Only with this credential, where one is given: someone may have replaced it meanwhile. */
  deleteApp(target: PlatformTarget, credential?: string): Promise<void>;

  /** Newest first. */
  list(studioId: string): Promise<PlatformConnection[]>;
  listConnected(studioId: string): Promise<PlatformConnection[]>;
  find(studioId: string, connectionId: string): Promise<PlatformConnection | undefined>;
  /**
   * The row of this account in this studio, made if there was none; its id. It is not connected by this. Undefined
   * where the studio has `limit` others that are not disconnected. In a transaction: until its end nobody else claims.
   */
  claim(
    connection: Pick<PlatformConnection, "id" | "studioId" | "platform" | "instance" | "account" | "connectedAt">,
    limit: number,
  ): Promise<string | undefined>;
  connect(
    connectionId: string,
    sealedCredential: string,
    times: CredentialTimes,
    by: { userId: string; at: number },
  ): Promise<void>;
  /** Takes the renewal of this generation until `until`; false where someone has it, or it is of the past. */
  acquireRenewal(connectionId: string, generation: number, now: number, leaseExpiresAt: number): Promise<boolean>;
  /** Has it looked at again at `renewAt`. Whoever took the renewal also says when it is `free` again. */
  postponeRenewal(connectionId: string, generation: number, renewAt: number, availableAt?: number): Promise<void>;
  /** Replaces the credential of exactly this generation. */
  renew(connectionId: string, generation: number, sealedCredential: string, times: CredentialTimes): Promise<boolean>;
  /** Wipes the credential of exactly this generation. False where it is of the past, or there is nothing to wipe. */
  wipeCredential(connectionId: string, state: "needs_reconnect" | "disconnected", generation: number): Promise<boolean>;
  /** Those of these platforms that are due since `now` and that nobody is renewing, the longest due first. */
  listDueForRenewal(platforms: readonly string[], now: number, limit: number): Promise<PlatformConnection[]>;
}
