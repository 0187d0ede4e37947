import type { PostLimits, Sources } from "#domain/platforms/limits.ts";

/**
 * A social platform, as data: one file in `catalog/`, one line in `catalog.ts`. Whatever follows RFC 6749 needs no
 * word here; each optional field names one way in which a platform departs from it.
 */
export interface Platform {
  /** Lower-case letters and digits: what tools and addresses call it, and in capitals the `<NAME>` of its settings. */
  id: string;
  name: string;
  /** Fixed, or made of the instance's origin (`https://mastodon.social`) where anyone can run the platform. */
  endpoints: Endpoints | ((instance: string) => Endpoints);
  /** How our credentials come about: from the settings, or by registering at each instance by ourselves. */
  app: "settings" | AppRegistration;
  scopes: readonly string[];
  /** Between scopes, where that is not a space. */
  scopeSeparator?: ",";
  /** RFC 7636 with S256. False only where the platform refuses the parameters or its documentation knows none. */
  pkce: boolean;
  /**
   * How our secret goes to the token endpoint: in a Basic header, or in the form. Into the header it goes as it is:
   * X and Pinterest know nothing of the encoding that RFC 6749 §2.3.1 puts before it.
   */
  clientAuth: "basic" | "post";
  /** What the platform calls `client_id`. */
  clientIdName?: "client_key";
  /** Further parameters of the authorization address, such as `access_type=offline`. */
  authorizeParams?: Readonly<Record<string, string>>;
  /** Makes a token answer that departs from RFC 6749 §5.1 into one that does not: `access_token`, `token_type`, … */
  normalizeToken?: (body: JsonObject) => JsonObject;
  /** The word of RFC 6749 §5.2 for a refusal that is told in other ways. */
  readErrorCode?: (body: JsonObject) => "invalid_grant" | undefined;
  /** Changes the token that came for the code into one that lives longer. Its answer is a token answer. */
  buildExtendCall?: (context: CallContext) => ApiCall;
  /** `standard`: RFC 6749 §6. `none`: tokens do not expire, or the person has to connect again. */
  refresh: "standard" | "none" | ((context: CallContext) => ApiCall);
  /** `standard`: RFC 7009 at `endpoints.revocation`. `none`: the person has to do it at the platform. */
  revoke: "standard" | "none" | ((context: CallContext) => ApiCall);
  /** Asks whose token this is. */
  buildAccountCall: (context: CallContext) => ApiCall;
  /**
   * Pure. The accounts that the person gave us: mostly one, with Facebook each page that was chosen. Throws, or
   * answers none, where the answer is not what the documentation says.
   */
  parseAccounts: (body: JsonObject) => readonly PlatformAccount[];
  limits: PostLimits;
  /** The pages that everything but `limits` stands on. */
  sources: Sources;
}

export interface Endpoints {
  /** The `issuer` it names itself by in answers (RFC 9207), where it does; else the origin of its token endpoint. */
  issuer?: string;
  authorization: string;
  token: string;
  revocation?: string;
  /** Where calls of the API go: without a slash at its end. */
  api: string;
}

/** How we register ourselves at an instance, such as Mastodon's POST /api/v1/apps. */
export interface AppRegistration {
  buildCall: (instance: string, appInfo: { name: string; website: string; redirectUri: string }) => ApiCall;
  parseCredentials: (body: JsonObject) => { clientId: string; clientSecret: string };
}

/** What a call of the platform's API may be made of. */
export interface CallContext {
  accessToken: string;
  refreshToken?: string | undefined;
  clientId: string;
  clientSecret: string;
  endpoints: Endpoints;
}

/** One request, as data. Time and size of its answer are bounded; an answer that is not a JSON object is a failure. */
export interface ApiCall {
  method: "GET" | "POST" | "DELETE";
  url: string;
  /** Sent as `Authorization: Bearer`. */
  bearer?: string;
  /** Added to the address. */
  query?: Readonly<Record<string, string>>;
  /** Sent as application/x-www-form-urlencoded. */
  form?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
}

/** What one person may give us at once; an answer with more is cut there. */
export const maxAccounts = 50;

export interface PlatformAccount {
  /** The platform's own, which never changes. */
  id: string;
  /** As people write it, without an `@`. */
  handle?: string | undefined;
  name?: string | undefined;
  pictureUrl?: string | undefined;
  profileUrl?: string | undefined;
  /** Where this account has a token of its own (Facebook's pages), which then stands in place of the person's. */
  accessToken?: string | undefined;
}

export type JsonObject = Readonly<Record<string, unknown>>;
