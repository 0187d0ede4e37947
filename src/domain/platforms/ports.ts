import type { Account, PlatformConnection, PlatformPlace } from "./connection.ts";
import type { PostLimits } from "./limits.ts";

/** What the domain knows of a platform. */
export interface PlatformFacts {
  id: string;
  name: string;
  /** Anyone can run one: an account is at an instance. */
  perInstance: boolean;
  /** We have what it takes to ask for access there. */
  configured: boolean;
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
  list(): readonly PlatformFacts[];
  find(platform: string): PlatformFacts | undefined;
  /** Where the platform sends people back to. Each instance has its own, so that none can pass for another. */
  redirectUri(place: PlatformPlace): string;
  register(place: PlatformPlace): Promise<PlatformApp>;
  begin(place: PlatformPlace, app?: PlatformApp): Promise<{ location: string } & PendingConnect>;
  /** Every account that the person gave us, with tokens; never none. */
  finish(
    place: PlatformPlace,
    app: PlatformApp | undefined,
    callback: URL,
    pending: PendingConnect,
  ): Promise<readonly { account: Account; tokens: PlatformTokens }[]>;
  /** Undefined where the platform has no way to renew them. */
  renew(
    place: PlatformPlace,
    app: PlatformApp | undefined,
    tokens: PlatformTokens,
  ): Promise<PlatformTokens | undefined>;
  /** Does nothing where the platform has no way to do it. */
  revoke(place: PlatformPlace, app: PlatformApp | undefined, tokens: PlatformTokens): Promise<void>;
}

/** A page on which a person connects an account, as one look-up finds it. */
export interface ConnectPage extends PlatformPlace {
  tokenHash: string;
  studioId: string;
  userId: string;
  grantId: string | null;
  client: { id: string; name: string } | null;
  expiresAt: number;
}

export interface RegisteredApp extends PlatformPlace {
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
  /** A page that is not used, not expired at `now`, and whose client is still approved. */
  findPage(by: { tokenHash: string } | { stateHash: string }, now: number): Promise<ConnectPage | undefined>;
  /** Remembers which state went to the platform, and waits for it until `expiresAt`. False where the page is no good. */
  startPage(tokenHash: string, stateHash: string, now: number, expiresAt: number): Promise<boolean>;
  /** Uses it up: true once. */
  usePage(stateHash: string, now: number): Promise<boolean>;

  findApp(place: PlatformPlace, redirectUri: string): Promise<RegisteredApp | undefined>;
  /** Replaces one that was registered with another address of ours; of two at once the first stays. */
  insertApp(app: RegisteredApp, now: number): Promise<void>;
  deleteApp(place: PlatformPlace): Promise<void>;

  /** Newest first. */
  list(studioId: string): Promise<PlatformConnection[]>;
  listConnected(studioId: string): Promise<PlatformConnection[]>;
  find(studioId: string, connectionId: string): Promise<PlatformConnection | undefined>;
  /** The row of this account in this studio, made if there was none; its id. It is not connected by this. */
  claim(
    connection: Pick<PlatformConnection, "id" | "studioId" | "platform" | "instance" | "account" | "connectedAt">,
  ): Promise<string>;
  connect(
    connectionId: string,
    sealed: string,
    times: CredentialTimes,
    by: { userId: string; at: number },
  ): Promise<void>;
  /** Takes the renewal of this generation until `until`; false where someone has it, or it is of the past. */
  takeRenewal(connectionId: string, generation: number, now: number, until: number): Promise<boolean>;
  /** Gives the renewal back until `free`, and has it looked at again at `renewAt`. */
  postpone(connectionId: string, generation: number, free: number, renewAt: number): Promise<void>;
  /** Replaces the credential of exactly this generation. */
  renew(connectionId: string, generation: number, sealed: string, times: CredentialTimes): Promise<boolean>;
  /** Wipes the credential: of this generation only, where one is given. False where there was nothing to wipe. */
  wipe(connectionId: string, state: "needs_reconnect" | "disconnected", generation?: number): Promise<boolean>;
  /** Those to renew at `now`, the longest due first. */
  listDue(now: number, limit: number): Promise<PlatformConnection[]>;
}
