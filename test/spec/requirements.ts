/**
 * SPEC.md as data. A test cites the ids it holds at the start of its name: `test("[ROLE-3] the last owner stays", …)`.
 * `requirements.test.ts` fails on an id that no test cites, and on a citation of an id that is not here.
 * Every issue adds the rows of what it builds.
 */
export interface Requirement {
  /** Section of SPEC.md. */
  section: string;
  says: string;
}

/** §1 and the parts of §3 and §7 that need no door: who and what there is, and who may do what. */
const words = {
  "WORD-1": { section: "1", says: "a user is known by (issuer, subject), never by email" },
  "WORD-2": { section: "1", says: "a studio has id, name, slug, timezone, createdAt" },
  "WORD-3": { section: "1", says: "a membership has one of the roles owner, admin, member" },
  "WORD-4": {
    section: "1",
    says: "a post has id, title, body, status, revision, assets, createdBy, createdAt, updatedAt, url",
  },
  "WORD-5": { section: "1", says: "a post is draft, ready or archived" },
  "WORD-6": { section: "1", says: "a post's revision grows with every change" },
  "WORD-7": { section: "1", says: "ids are opaque, with a readable prefix, sortable by time" },
  "WORD-8": { section: "1", says: "JSON is camelCase, times are ISO 8601 UTC" },
  "STUDIO-1": { section: "7", says: "the creator of a studio is its owner; it becomes the active studio" },
  "STUDIO-2": {
    section: "3",
    says: "the active studio counts while the user is a member of it, otherwise the first membership",
  },
  "STUDIO-3": { section: "7", says: "the active studio is set to a studio of one's own, anything else is not found" },
  "STUDIO-4": {
    section: "3",
    says: "membership and role are read afresh: removal or demotion takes effect on the next call",
  },
  "STUDIO-5": { section: "4", says: "ids of another studio answer exactly as ids that do not exist: not_found" },
  "ROLE-1": { section: "3", says: "one policy table says which role may do what" },
  "ROLE-2": { section: "7", says: "admins manage members and admins; only owners manage and make owners" },
  "ROLE-3": { section: "1", says: "a studio always keeps at least one owner" },
  "ROLE-4": { section: "7", says: "members are listed, given another role, removed, or leave" },
  "INVITE-1": { section: "7", says: "an invitation is a link {base}/join/<token> that lives 7 days" },
  "INVITE-2": { section: "7", says: "an invitation serves once" },
  "INVITE-3": { section: "3", says: "an invitation made for an address is accepted by that verified address only" },
  "INVITE-4": { section: "7", says: "an invitation that was withdrawn is of no more use" },
  "INVITE-5": { section: "8", says: "links are stored hashed or not at all" },
  "POST-1": { section: "4", says: "posts are made, read and changed" },
  "POST-2": { section: "4", says: "a change that names an old revision is refused: revision_conflict" },
  "POST-3": { section: "4", says: "posts are listed by status and query, newest first, limit and cursor" },
  "POST-4": { section: "4", says: "a cursor holds its place while posts are added" },
  "ACT-1": { section: "4", says: "activity says who did what, through which client; owner and admin read it" },
  "ACT-2": { section: "4", says: "a change and its activity row stand or fall together" },
} as const satisfies Record<string, Requirement>;

/** §4 Errors. */
const errors = {
  "ERR-1": { section: "4", says: "the codes are those of the table" },
  "ERR-2": { section: "4", says: "an error is { code, message, hint? }" },
  "ERR-3": {
    section: "4",
    says: "an unknown failure is internal with a reference; no stack, SQL, path or token leaves the process",
  },
  "ERR-forbidden": { section: "4", says: "the role does not allow it" },
  "ERR-not_found": { section: "4", says: "no such thing in this studio" },
  "ERR-invalid_input": { section: "4", says: "fails the schema" },
  "ERR-revision_conflict": { section: "4", says: "as named" },
  "ERR-rate_limited": { section: "4", says: "as named" },
  "ERR-storage_unavailable": { section: "4", says: "as named" },
} as const satisfies Record<string, Requirement>;

/** The table of codes in §4, and the two that SPEC.md names elsewhere: no session (401), unknown failure. */
export const errorCodes = [
  ...["forbidden", "inline_too_large_use_presign", "too_large", "not_found", "invalid_input", "unsupported_type"],
  ...["type_mismatch", "not_uploaded", "upload_expired", "asset_limit_reached", "already_attached", "not_attached"],
  ...["asset_in_use", "revision_conflict", "idempotency_conflict", "rate_limited", "quota_exceeded"],
  ...["storage_unavailable", "url_blocked", "url_unreachable", "platform_unsupported", "platform_not_configured"],
  ...["connect_expired", "connect_denied", "internal", "unauthenticated"],
] as const;

/** §8, the table: one row a line of it. */
const variables = {
  "VAR-HOST": { section: "8", says: "HOST, PORT: 127.0.0.1, 3000" },
  "VAR-BASE_URL": { section: "8", says: "BASE_URL: http://localhost:$PORT" },
  "VAR-LOGIN_URL": {
    section: "8",
    says: "UPLOAD_PAGE_URL, LOGIN_URL: {base}, {base}/login, with the origin of {base}",
  },
  "VAR-SIGN_IN_ALLOW": { section: "8", says: "SIGN_IN_ALLOW: * on loopback, demanded elsewhere" },
  "VAR-MCP_ORIGINS": { section: "8", says: "MCP_ORIGINS: further browser origins" },
  "VAR-METRICS_TOKEN": { section: "8", says: "METRICS_TOKEN: none" },
  "VAR-DATA_DIR": { section: "8", says: "DATA_DIR: ./data" },
  "VAR-DATABASE_URL": { section: "8", says: "DATABASE_URL: postgres://…; absent: SQLite" },
  "VAR-STORAGE": { section: "8", says: "STORAGE: disk, or s3 with S3_…" },
  "VAR-SECRETS": {
    section: "8",
    says: "SECRETS: one or more, newest first, at least 32 bytes each; generated on loopback",
  },
  "VAR-OIDC": {
    section: "8",
    says: "OIDC_…: the identity provider, further ones numbered; development issuer on loopback",
  },
  "VAR-LIMITS": { section: "8", says: "MAX_…: the limits of section 5" },
  "VAR-OAUTH_CLIENTS": { section: "8", says: "OAUTH_CLIENTS: path of a file with pre-registered clients" },
  "VAR-TRUST_PROXY": { section: "8", says: "TRUST_PROXY: off" },
  "VAR-PLATFORM": { section: "8", says: "PLATFORM_<NAME>_CLIENT_ID, …_SECRET" },
  "VAR-CONFORMANCE_FIXTURES": { section: "8", says: "CONFORMANCE_FIXTURES: off; refused off loopback" },
  "VAR-RATE_LIMITS": { section: "8", says: "RATE_LIMITS: on; off refused off loopback" },
  "VAR-LOG_LEVEL": { section: "8", says: "LOG_LEVEL: info" },
} as const satisfies Record<string, Requirement>;

/** §8, below the table, as far as it concerns start and database. */
const running = {
  "RUN-1": {
    section: "8",
    says: "all settings are checked at start, every fault reported at once in one readable message",
  },
  "RUN-2": { section: "8", says: "unknown values never fall back silently" },
  "RUN-3": { section: "8", says: "the defaults are a working service on loopback" },
  "RUN-4": { section: "8", says: "losing the database gives clear errors and recovers by itself" },
  "RUN-5": { section: "8", says: "two processes on one data folder are safe, or the second is refused" },
  "RUN-6": { section: "8", says: "a damaged database is refused and left as it is" },
  "RUN-7": { section: "8", says: "one SQL, two engines: migrations with checksums, resumable after kill -9" },
  "RUN-8": { section: "8", says: "nothing acknowledged is lost by kill -9" },
  "RUN-9": { section: "8", says: "logs carry no token, cookie or signed address" },
  "TOKEN-1": { section: "8", says: "a signed token is good for one purpose, until it expires" },
  "TOKEN-2": { section: "8", says: "the newest secret signs, all verify" },
} as const satisfies Record<string, Requirement>;

/** §3.8, §3.9 and the pages of §7 that need no script: how people get in. */
const people = {
  "SIGN-1": { section: "3", says: "the login url leads to the identity provider, then back to where one wanted to go" },
  "SIGN-2": { section: "3", says: "the identity provider is any OpenID Connect issuer; several may be configured" },
  "SIGN-3": { section: "3", says: "with none configured on loopback, a built-in development issuer takes its place" },
  "SIGN-4": { section: "3", says: "the development issuer refuses peers that are not loopback and forwarded requests" },
  "SIGN-5": { section: "3", says: "who may sign in: verified addresses and @domains, or *" },
  "SIGN-6": { section: "3", says: "an invitation admits the person who accepts it" },
  "SIGN-7": { section: "7", says: "POST /api/sign-out: 204; the web session is gone" },
  "SIGN-8": { section: "7", says: "sign-in and error pages are plain HTML forms that need no script" },
  "SIGN-9": { section: "0", says: "{base} never comes from a request header" },
} as const satisfies Record<string, Requirement>;

/** §2 and §3.1 to §3.7: how AI clients find us, ask a person, and get, renew and lose their tokens. */
const clients = {
  "META-1": { section: "2", says: "RFC 9728 metadata at /.well-known/oauth-protected-resource and …/mcp" },
  "META-2": {
    section: "2",
    says: "RFC 8414 metadata at /.well-known/oauth-authorization-server, …/mcp and /.well-known/openid-configuration",
  },
  "META-3": { section: "0", says: "the addresses in metadata come from settings, never from a request header" },
  "META-4": { section: "2", says: "anything unknown under /.well-known/ is a JSON 404" },
  "META-5": { section: "2", says: "metadata and the endpoints without cookies can be used from any page" },
  "AUTH-1": {
    section: "3",
    says: "POST /mcp without a bearer token: 401 with WWW-Authenticate: Bearer resource_metadata=…",
  },
  "AUTH-2": { section: "3", says: 'a bad or expired token: 401 with error="invalid_token" and resource_metadata' },
  "AUTH-3": { section: "3", says: "no membership at all: HTTP 403, text/plain, exactly No studio membership" },
  "REG-1": { section: "2", says: "dynamic client registration, RFC 7591, open to all, rate-limited" },
  "REG-2": {
    section: "3",
    says: "loopback redirects on any port and private-use schemes work; other plain-http redirects are refused",
  },
  "REG-3": { section: "3", says: "a client may be pre-registered by the operator" },
  "REG-4": { section: "3", says: "a client may use a metadata document, its client_id being an https URL" },
  "REG-5": { section: "3", says: "registrations nobody used are swept after a day, used ones never" },
  "AUTHZ-1": { section: "2", says: "authorization endpoint: code and PKCE S256 only" },
  "AUTHZ-2": {
    section: "3",
    says: "no web session: to the login url, the identity provider, and back into the same authorize step",
  },
  "AUTHZ-3": {
    section: "3",
    says: "the person sees who asks, where the answer goes, which studio, what it may do; approves or cancels",
  },
  "AUTHZ-4": { section: "3", says: "approval is asked for each client, every time" },
  "GRANT-1": { section: "3", says: "a code lives 60 s and serves once" },
  "GRANT-2": { section: "3", says: "an opaque access token of one hour, bound to the resource {base}/mcp" },
  "GRANT-3": { section: "3", says: "a rotating refresh token: 30 days sliding, 90 days at most" },
  "GRANT-4": {
    section: "3",
    says: "the current refresh token, or the one just before for 30 s, is accepted; anything older ends the grant",
  },
  "GRANT-5": { section: "3", says: "reuse of a code ends the grant" },
  "SCOPE-1": { section: "3", says: "nothing asked means both scopes" },
  "SCOPE-2": { section: "3", says: "a person may grant view only, and nothing widens it" },
  "END-1": { section: "3", says: "signing out of the web app does not end a client's token" },
  "END-2": { section: "3", says: "revoking ends access at once" },
  "END-3": { section: "3", says: "authorization records are the service's own and survive a restart as they were" },
  "STORE-1": { section: "8", says: "tokens, codes and cookies are stored hashed or not at all" },
} as const satisfies Record<string, Requirement>;

/** §4 and §5: files. */
const assets = {
  "ASSET-1": {
    section: "1",
    says: "the asset view is exactly { id, postId, kind, mimeType, filename, bytes, status }",
  },
  "ASSET-2": {
    section: "4",
    says: "request_asset_upload answers { assetId, uploadUrl, expiresAt }: one plain PUT, 10 minutes, curl -T with no other header",
  },
  "ASSET-3": { section: "4", says: "upload_asset_inline answers { assetId, bytes }; ready at once, on no post" },
  "ASSET-4": {
    section: "4",
    says: "inline_too_large_use_presign at 5 × 1024 × 1024 bytes decoded, judged before anything else about the file",
  },
  "ASSET-5": {
    section: "4",
    says: "attach_asset answers the asset view; attaching to the same post again answers it again",
  },
  "ASSET-6": { section: "4", says: "detach_asset answers { detached }; the stored file is kept, attachable elsewhere" },
  "ASSET-7": { section: "4", says: "too_large at attach: object and record are deleted" },
  "ASSET-8": {
    section: "4",
    says: "type_mismatch: the bytes are recognisably something else; object and record are deleted",
  },
  "ASSET-9": { section: "4", says: "not_uploaded and upload_expired where nothing was PUT" },
  "ASSET-10": {
    section: "4",
    says: "asset_limit_reached: the per-post count holds under any number of parallel attaches",
  },
  "ASSET-11": { section: "4", says: "already_attached, not_attached, asset_in_use" },
  "ASSET-12": {
    section: "4",
    says: "get_post shows each asset with url, thumbnailUrl, altText, width, height, durationMs; previews the model can see",
  },
  "ASSET-13": { section: "4", says: "update_post takes a new order of exactly the assets it has" },
  "ASSET-14": { section: "4", says: "list_assets, get_asset, update_asset, delete_asset" },
  "ASSET-15": { section: "4", says: "import_asset_from_url: public addresses only; url_blocked, url_unreachable" },
  "ASSET-16": { section: "4", says: "import_asset_from_url with an idempotencyKey answers the first result again" },
  "ASSET-17": { section: "5", says: "the allowed types of each kind; SVG and HTML are accepted nowhere" },
  "ASSET-18": { section: "5", says: "a PUT repeated after attach changes nothing that is served" },
  "ASSET-19": {
    section: "5",
    says: "the declared type is checked against the bytes on every path in, with the same verdict on each",
  },
  "ASSET-20": { section: "5", says: "orphan bytes disappear, live bytes never do" },
  "ASSET-21": {
    section: "5",
    says: "file names are display text, never part of a path; where none was given, one is made",
  },
  "ASSET-22": {
    section: "5",
    says: "files are served with the verified type, nosniff, a sandboxing CSP; documents as a download",
  },
  "ASSET-23": { section: "5", says: "the transition table" },
  "ASSET-24": { section: "4", says: "base64 that is not base64, and an empty file, are invalid_input" },
} as const satisfies Record<string, Requirement>;

/** §4 create_upload_session and §6. */
const uploads = {
  "UPLOAD-1": {
    section: "4",
    says: "create_upload_session takes postId, answers { url, expiresInMinutes }: {uploadPage}/u/<token>, 30",
  },
  "UPLOAD-2": {
    section: "6",
    says: "bytes go straight to the store in parts, and a finished file attaches itself to the post",
  },
  "UPLOAD-3": { section: "6", says: "a full post says so before bytes are sent" },
  "UPLOAD-4": { section: "5", says: "wrong types are refused before bytes are sent, and after" },
  "UPLOAD-5": { section: "6", says: "the 30 minutes gate the start of a file; one that was begun may take 24 hours" },
  "UPLOAD-6": {
    section: "6",
    says: "a link dies with its maker's membership, its client, its post, and when withdrawn",
  },
  "UPLOAD-7": { section: "7", says: "the post's page lists its upload links, and withdraws them" },
  "UPLOAD-8": {
    section: "6",
    says: "a link shows the studio's name, the post's title and the files sent through it, and nothing else",
  },
  "UPLOAD-9": {
    section: "6",
    says: "several files at once, a lost network, a reloaded page, a restarted server: all arrive, whole",
  },
  "UPLOAD-10": {
    section: "6",
    says: "progress, speed, time left, pause, resume, retry, cancel, phone, previews, alt text; any size",
  },
  "UPLOAD-11": { section: "6", says: "expired, forged or withdrawn links get a clear page" },
  "UPLOAD-12": { section: "6", says: "works with the keyboard and a screen reader, in light and dark, at phone width" },
} as const satisfies Record<string, Requirement>;

/** §4, the platform tools, and §8: accounts on social platforms. */
const platforms = {
  "PLATFORM-1": {
    section: "4",
    says: "connect_platform answers { connectUrl, expiresInMinutes } (15); list_platforms shows platforms and connections",
  },
  "PLATFORM-2": { section: "4", says: "connecting the same account again renews it" },
  "PLATFORM-3": {
    section: "4",
    says: "disconnect_platform answers { disconnected }; credentials are wiped, and revoked where the platform can",
  },
  "PLATFORM-4": { section: "3", says: "connecting and disconnecting need owner or admin; a member gets forbidden" },
  "PLATFORM-5": { section: "4", says: "platform_unsupported, platform_not_configured" },
  "PLATFORM-6": {
    section: "4",
    says: "the page is for the same user, signed in, still owner or admin; connect_expired",
  },
  "PLATFORM-7": { section: "4", says: "a platform that denies, answers nonsense, slowly or never: nothing stored" },
  "PLATFORM-8": { section: "4", says: "instanceUrl: the instance of a platform that has many; public addresses only" },
  "PLATFORM-9": { section: "4", says: "credentials are refreshed ahead of their end, once however many ask" },
  "PLATFORM-10": { section: "8", says: "platform credentials are encrypted, each bound to its row" },
  "PLATFORM-11": {
    section: "8",
    says: "PLATFORM_<NAME>_…: credentials of this server at a platform, checked at start",
  },
  "PLATFORM-12": { section: "4", says: "get_post says what each connected platform would refuse or warn about" },
  "PLATFORM-13": { section: "7", says: "the web app's platforms page; the connect page is a plain form" },
} as const satisfies Record<string, Requirement>;

/** §7: the web app, as a person at a browser meets it. */
const webApp = {
  "WEB-1": { section: "7", says: "a new user signs in and creates a studio" },
  "WEB-2": { section: "7", says: "an invitation by link lets someone in; what a role may not do is not offered" },
  "WEB-3": { section: "7", says: "an address opened without a session is opened after sign-in" },
  "WEB-4": { section: "7", says: "the Connect page shows a client the moment it connects" },
  "WEB-5": { section: "7", says: "an open page shows within two seconds what an assistant did" },
  "WEB-6": { section: "7", says: "what is typed is saved; what was changed on both sides is shown, with a choice" },
  "WEB-7": { section: "7", says: "what can be undone can be undone from where it was done" },
  "WEB-8": { section: "3", says: "the active studio is switched here; a client follows when it connects anew" },
  "WEB-9": { section: "3", says: "a client revoked here is refused at its next call" },
  "WEB-10": { section: "7", says: "what cannot be undone asks first" },
  "WEB-11": { section: "7", says: "signing out ends the web session" },
  "WEB-12": { section: "7", says: "pages work at phone width, by keyboard, in light and dark" },
} as const satisfies Record<string, Requirement>;

export const requirements: Readonly<Record<string, Requirement>> = {
  ...words,
  ...webApp,
  ...people,
  ...clients,
  ...assets,
  ...uploads,
  ...platforms,
  ...errors,
  ...variables,
  ...running,
};
