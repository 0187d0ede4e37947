import type { PublishModule } from "./publishing/publish-module.ts";
import type { InstanceLimits, PostLimits } from "#domain/model/platform-limits.ts";
import type { PostOption } from "#portable/post-options.ts";

/** Platforms redirect users to this path. */
export const callbackPath = "/api/platforms/callback/";

/** What every platform has, regardless of its protocol. */
interface PlatformDescription {
  /** Lower-case letters and digits. Used in tools and URLs, and in upper case in settings: `PLATFORM_<NAME>_CLIENT_ID`. */
  id: string;
  name: string;
  scopes: readonly string[];
  limits: PostLimits;
  /** What a post needs or may have besides text and files. */
  options?: readonly PostOption[];
  /** What the platform allows the operator's app before a review. */
  notice?: string;
  /** Absent if Atelier can't publish to this platform yet. */
  publishing?: PublishModule;
}

/** A platform whose accounts are identities of the AT Protocol, on servers that the user chooses. */
export interface AtprotoPlatform extends PlatformDescription {
  protocol: "atproto";
  /** The origin of the server that most accounts are on. */
  defaultInstance: string;
  /** The public page of an account, by its handle or DID. */
  buildProfileUrl: (account: string) => string;
}

/**
 * A social platform: one folder, one line in `catalog.ts`. A platform that follows RFC 6749 needs only the required fields;
 * each optional field describes one deviation.
 */
export interface OAuthPlatform extends PlatformDescription {
  protocol?: never;
  /** Fixed, or derived from the instance's origin (`https://mastodon.social`) if the platform has instances. */
  endpoints: Endpoints | ((instance: string) => Endpoints);
  /** Registers Atelier with each platform instance. Without it, the settings contain the credentials of our app. */
  appRegistration?: AppRegistration;
  /** Space by default. */
  scopeSeparator?: ",";
  /** RFC 7636 with S256. False only if the platform rejects or does not document the parameters. */
  pkce: boolean;
  /**
   * How the token endpoint receives our secret: in a Basic header or in the form. The header is not form-encoded as
   * RFC 6749 §2.3.1 requires, because X and Pinterest do not decode it.
   */
  clientAuth: "basic" | "post";
  /** The platform's name for the parameter `client_id`. */
  clientIdParam?: "client_key";
  /** Additional parameters of the authorization URL, such as `access_type=offline`. */
  authorizeParams?: Readonly<Record<string, string>>;
  /** Converts a nonstandard token response to the form of RFC 6749 §5.1: `access_token`, `token_type`, … */
  normalizeToken?: (body: JsonObject) => JsonObject;
  /** Returns the error code of RFC 6749 §5.2 for a nonstandard error response. */
  readErrorCode?: (body: JsonObject) => "invalid_grant" | undefined;
  /** Exchanges the first access token for a longer-lived one. Returns a token response. */
  buildLongLivedTokenCall?: (context: TokenContext) => ApiCall;
  /** `standard`: RFC 6749 §6. `none`: tokens do not expire, or the user has to connect again. */
  refresh: "standard" | "none" | ((context: TokenContext) => ApiCall);
  /** `standard`: RFC 7009 at `endpoints.revocation`. `none`: the user has to revoke access on the platform. */
  revoke: "standard" | "none" | ((context: TokenContext) => ApiCall);
  /** Where to read the accounts that a token gives access to. */
  accountCall: Pick<ApiCall, "query"> & { path: string };
  /**
   * Pure. Returns the accounts that the user gave access to: usually one; for Facebook, every selected page. Throws or
   * returns none if the response does not match the documentation.
   */
  parseAccounts: (body: JsonObject) => readonly PlatformAccount[];
  /** How an instance states its own limits. The first response with limits counts; if none has any, `limits` apply. */
  instanceLimits?: {
    buildCalls: (instance: string) => readonly ApiCall[];
    parse: (body: JsonObject) => InstanceLimits;
  };
}

export interface Endpoints {
  /** The `iss` of authorization responses (RFC 9207), if the platform sends it. */
  issuer?: string;
  authorization: string;
  token: string;
  revocation?: string;
  /** The base URL of the API, without a trailing slash. */
  api: string;
}

export const getEndpoints = ({ endpoints }: Pick<OAuthPlatform, "endpoints">, instance: string): Endpoints =>
  typeof endpoints === "function" ? endpoints(instance) : endpoints;

/** How this server registers with an instance, such as Mastodon's POST /api/v1/apps. */
export interface AppRegistration {
  buildRegistrationCall: (instance: string, appInfo: { name: string; website: string; redirectUri: string }) => ApiCall;
  parseCredentials: (body: JsonObject) => { clientId: string; clientSecret: string };
}

/** What an API call can use. */
export interface TokenContext {
  accessToken: string;
  refreshToken?: string | undefined;
  clientId: string;
  clientSecret: string;
  endpoints: Endpoints;
}

/** One request, as data. Its response is limited in time and size; its body is JSON or empty (`readObject`). */
export interface ApiCall {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  /** Sent as `Authorization: Bearer`. */
  bearer?: string;
  /** Added to the URL. */
  query?: Readonly<Record<string, string>>;
  /** Sent as application/x-www-form-urlencoded. */
  form?: Readonly<Record<string, string>>;
  /** Sent as application/json. */
  json?: JsonObject;
  headers?: Readonly<Record<string, string>>;
  /** Replaces the usual timeout, for requests that take longer. */
  timeoutMs?: number;
}

/** How many accounts a user can connect at once. Further accounts in the response are ignored. */
export const maxAccounts = 50;

export interface PlatformAccount {
  /** The platform's id for the account, which never changes. */
  id: string;
  /** Without the leading `@`. */
  handle?: string | undefined;
  name?: string | undefined;
  avatarUrl?: string | undefined;
  profileUrl?: string | undefined;
  /** The account's own token (Facebook pages), which replaces the user's token. */
  accessToken?: string | undefined;
}

export type JsonObject = Readonly<Record<string, unknown>>;
