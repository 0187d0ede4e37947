/**
 * What Atelier promises, by id. A test cites the ids it holds at the start of its name: `test("the last owner stays (ROLE-3)", …)`.
 * `requirements.test.ts` fails on an id that no test cites, and on a citation of an id that is not here.
 * Whoever builds something adds its rows here.
 */
/** Who and what there is, and who may do what. */
const words = {
  "WORD-1": "a user is known by (issuer, subject), never by email",
  "WORD-2": "a studio has id, name, slug, timezone, createdAt",
  "WORD-3": "a membership has one of the roles owner, admin, member",
  "WORD-4": "a post has id, title, body, status, revision, assets, createdBy, createdAt, updatedAt, url",
  "WORD-5": "a post is draft, ready or archived",
  "WORD-6": "a post's revision grows with every change",
  "WORD-7": "ids are opaque, with a readable prefix, sortable by time",
  "WORD-8": "JSON is camelCase, times are ISO 8601 UTC",
  "STUDIO-1": "the creator of a studio is its owner; it becomes the active studio",
  "STUDIO-2": "the active studio counts while the user is a member of it, otherwise the first membership",
  "STUDIO-3": "the active studio is set to a studio of one's own, anything else is not found",
  "STUDIO-4": "membership and role are read afresh: removal or demotion takes effect on the next call",
  "STUDIO-5": "ids of another studio answer exactly as ids that do not exist: not_found",
  "ROLE-1": "one policy table says which role may do what",
  "ROLE-2": "admins manage members and admins; only owners manage and make owners",
  "ROLE-3": "a studio always keeps at least one owner",
  "ROLE-4": "members are listed, given another role, removed, or leave",
  "INVITE-1": "an invitation is a link {base}/join/<token> that lives 7 days",
  "INVITE-2": "an invitation serves once",
  "INVITE-3": "an invitation made for an address is accepted by that verified address only",
  "INVITE-4": "an invitation that was withdrawn is of no more use",
  "INVITE-5": "links are stored hashed or not at all",
  "POST-1": "posts are made, read and changed",
  "POST-2": "a change that names an old revision is refused: revision_conflict",
  "POST-3": "posts are listed by status and query, newest first, limit and cursor",
  "POST-4": "a cursor holds its place while posts are added",
  "ACT-1": "activity says who did what, through which client; owner and admin read it",
  "ACT-2": "a change and its activity row stand or fall together",
} as const satisfies Record<string, string>;

/** What may go wrong, and how it is said. */
const errors = {
  "ERR-1": "the codes are those of the table",
  "ERR-2": "an error is { code, message, hint? }",
  "ERR-3": "an unknown failure is internal with a reference; no stack, SQL, path or token leaves the process",
  "ERR-forbidden": "the role does not allow it",
  "ERR-not_found": "no such thing in this studio",
  "ERR-invalid_input": "fails the schema",
  "ERR-revision_conflict": "as named",
  "ERR-rate_limited": "as named",
  "ERR-storage_unavailable": "as named",
} as const satisfies Record<string, string>;

/** Every code there is. */
export const errorCodes = [
  ...["forbidden", "inline_too_large_use_presign", "too_large", "not_found", "invalid_input", "unsupported_type"],
  ...["type_mismatch", "not_uploaded", "upload_expired", "asset_limit_reached", "already_attached", "not_attached"],
  ...["asset_in_use", "revision_conflict", "idempotency_conflict", "rate_limited", "quota_exceeded"],
  ...["storage_unavailable", "url_blocked", "url_unreachable", "platform_unsupported", "platform_not_configured"],
  ...["connect_expired", "connect_denied", "internal", "unauthenticated"],
] as const;

/** Settings, by their variables. */
const variables = {
  "VAR-HOST": "HOST, PORT: 127.0.0.1, 3000",
  "VAR-BASE_URL": "BASE_URL: http://localhost:$PORT",
  "VAR-LOGIN_URL": "UPLOAD_PAGE_URL, LOGIN_URL: {base}, {base}/login, with the origin of {base}",
  "VAR-SIGN_IN_ALLOW": "SIGN_IN_ALLOW: * on loopback, demanded elsewhere",
  "VAR-MCP_ORIGINS": "MCP_ORIGINS: further browser origins",
  "VAR-METRICS_TOKEN": "METRICS_TOKEN: none",
  "VAR-DATA_DIR": "DATA_DIR: ./data",
  "VAR-DATABASE_URL": "DATABASE_URL: postgres://…; absent: SQLite",
  "VAR-STORAGE": "STORAGE: disk, or s3 with S3_…",
  "VAR-SECRETS": "SECRETS: one or more, newest first, at least 32 bytes each; generated on loopback",
  "VAR-OIDC": "OIDC_…: the identity provider, further ones numbered; development issuer on loopback",
  "VAR-LIMITS": "MAX_…: the limits of files",
  "VAR-OAUTH_CLIENTS": "OAUTH_CLIENTS: path of a file with pre-registered clients",
  "VAR-CLIENT_DOCUMENTS": "CLIENT_DOCUMENTS: on; off: neither advertised nor fetched",
  "VAR-TRUST_PROXY": "TRUST_PROXY: off",
  "VAR-PLATFORM": "PLATFORM_<NAME>_CLIENT_ID, …_SECRET",
  "VAR-CONFORMANCE_FIXTURES": "CONFORMANCE_FIXTURES: off; refused off loopback",
  "VAR-RATE_LIMITS": "RATE_LIMITS: on; off refused off loopback",
  "VAR-LOG_LEVEL": "LOG_LEVEL: info",
} as const satisfies Record<string, string>;

/** Starting, and the database. */
const running = {
  "RUN-1": "all settings are checked at start, every fault reported at once in one readable message",
  "RUN-2": "unknown values never fall back silently",
  "RUN-3": "the defaults are a working service on loopback",
  "RUN-4": "losing the database gives clear errors and recovers by itself",
  "RUN-5": "two processes on one data folder are safe, or the second is refused",
  "RUN-6": "a damaged database is refused and left as it is",
  "RUN-7": "one SQL, two engines: migrations with checksums, resumable after kill -9",
  "RUN-8": "nothing acknowledged is lost by kill -9",
  "RUN-9": "logs carry no token, cookie or signed address",
  "TOKEN-1": "a signed token is good for one purpose, until it expires",
  "TOKEN-2": "the newest secret signs, all verify",
} as const satisfies Record<string, string>;

/** How people get in. */
const people = {
  "SIGN-1": "the login url leads to the identity provider, then back to where one wanted to go",
  "SIGN-2": "the identity provider is any OpenID Connect issuer; several may be configured",
  "SIGN-3": "with none configured on loopback, a built-in development issuer takes its place",
  "SIGN-4": "the development issuer refuses peers that are not loopback and forwarded requests",
  "SIGN-5": "who may sign in: verified addresses and @domains, or *",
  "SIGN-6": "an invitation admits the person who accepts it",
  "SIGN-7": "POST /api/sign-out: 204; the web session is gone",
  "SIGN-8": "sign-in and error pages are plain HTML forms that need no script",
  "SIGN-9": "{base} never comes from a request header",
} as const satisfies Record<string, string>;

/** How AI clients find us, ask a person, and get, renew and lose their tokens. */
const clients = {
  "META-1": "RFC 9728 metadata at /.well-known/oauth-protected-resource and …/mcp",
  "META-2": "RFC 8414 metadata at /.well-known/oauth-authorization-server, …/mcp and /.well-known/openid-configuration",
  "META-3": "the addresses in metadata come from settings, never from a request header",
  "META-4": "anything unknown under /.well-known/ is a JSON 404",
  "META-5": "metadata and the endpoints without cookies can be used from any page",
  "AUTH-1": "POST /mcp without a bearer token: 401 with WWW-Authenticate: Bearer resource_metadata=…",
  "AUTH-2": 'a bad or expired token: 401 with error="invalid_token" and resource_metadata',
  "AUTH-3": "no membership at all: HTTP 403, text/plain, exactly No studio membership",
  "REG-1": "dynamic client registration, RFC 7591, open to all, rate-limited",
  "REG-2":
    "loopback redirects on any port and private-use schemes that have a dot or belong to a known client work; other schemes and other plain-http redirects are rejected",
  "REG-3": "a client may be pre-registered by the operator",
  "REG-4": "a client may use a metadata document, its client_id being an https URL",
  "REG-5": "registrations nobody used are swept after a day, used ones never",
  "AUTHZ-1": "authorization endpoint: code and PKCE S256 only",
  "AUTHZ-2": "no web session: to the login url, the identity provider, and back into the same authorize step",
  "AUTHZ-3": "the person sees who asks, where the answer goes, which studio, what it may do; approves or cancels",
  "AUTHZ-4": "approval is asked for each client, every time",
  "GRANT-1": "a code lives 60 s and serves once",
  "GRANT-2": "an opaque access token of one hour, bound to the resource {base}/mcp",
  "GRANT-3": "a rotating refresh token: 30 days sliding, 90 days at most",
  "GRANT-4": "the current refresh token, or the one just before for 30 s, is accepted; anything older ends the grant",
  "GRANT-5": "reuse of a code ends the grant",
  "SCOPE-1": "nothing asked means both scopes",
  "SCOPE-2": "a person may grant view only, and nothing widens it",
  "END-1": "signing out of the web app does not end a client's token",
  "END-2": "revoking ends access at once",
  "END-3": "authorization records are the service's own and survive a restart as they were",
  "STORE-1": "tokens, codes and cookies are stored hashed or not at all",
} as const satisfies Record<string, string>;

/** Files. */
const assets = {
  "ASSET-1": "the asset view is exactly { id, postId, kind, mimeType, filename, bytes, status }",
  "ASSET-2":
    "request_asset_upload answers { assetId, uploadUrl, expiresAt }: one plain PUT, 10 minutes, curl -T with no other header",
  "ASSET-3": "upload_asset_inline answers { assetId, bytes }; ready at once, on no post",
  "ASSET-4":
    "inline_too_large_use_presign at 5 × 1024 × 1024 bytes decoded, judged before anything else about the file",
  "ASSET-5": "attach_asset answers the asset view; attaching to the same post again answers it again",
  "ASSET-6": "detach_asset answers { detached }; the stored file is kept, attachable elsewhere",
  "ASSET-7": "too_large at attach: object and record are deleted",
  "ASSET-8": "type_mismatch: the bytes are recognisably something else; object and record are deleted",
  "ASSET-9": "not_uploaded and upload_expired where nothing was PUT",
  "ASSET-10": "asset_limit_reached: the per-post count holds under any number of parallel attaches",
  "ASSET-11": "already_attached, not_attached, asset_in_use",
  "ASSET-12":
    "get_post shows each asset with url, thumbnailUrl, altText, width, height, durationMs; previews the model can see",
  "ASSET-13": "update_post takes a new order of exactly the assets it has",
  "ASSET-14": "list_assets, get_asset, update_asset, delete_asset",
  "ASSET-15": "import_asset_from_url: public addresses only; url_blocked, url_unreachable",
  "ASSET-16": "import_asset_from_url with an idempotencyKey answers the first result again",
  "ASSET-17": "the allowed types of each kind; SVG and HTML are accepted nowhere",
  "ASSET-18": "a PUT repeated after attach changes nothing that is served",
  "ASSET-19": "the declared type is checked against the bytes on every path in, with the same verdict on each",
  "ASSET-20": "orphan bytes disappear, live bytes never do",
  "ASSET-21": "file names are display text, never part of a path; where none was given, one is made",
  "ASSET-22": "files are served with the verified type, nosniff, a sandboxing CSP; documents as a download",
  "ASSET-23": "the transition table",
  "ASSET-24": "base64 that is not base64, and an empty file, are invalid_input",
} as const satisfies Record<string, string>;

/** Links for uploads, and their page. */
const uploads = {
  "UPLOAD-1": "create_upload_session takes postId, answers { url, expiresInMinutes }: {uploadPage}/u/<token>, 30",
  "UPLOAD-2": "bytes go straight to the store in parts, and a finished file attaches itself to the post",
  "UPLOAD-3": "a full post says so before bytes are sent",
  "UPLOAD-4": "wrong types are refused before bytes are sent, and after",
  "UPLOAD-5": "the 30 minutes gate the start of a file; one that was begun may take 24 hours",
  "UPLOAD-6": "a link dies with its maker's membership, its client, its post, and when withdrawn",
  "UPLOAD-7": "the post's page lists its upload links, and withdraws them",
  "UPLOAD-8": "a link shows the studio's name, the post's title and the files sent through it, and nothing else",
  "UPLOAD-9": "several files at once, a lost network, a reloaded page, a restarted server: all arrive, whole",
  "UPLOAD-10": "progress, speed, time left, pause, resume, retry, cancel, phone, previews, alt text; any size",
  "UPLOAD-11": "expired, forged or withdrawn links get a clear page",
  "UPLOAD-12": "works with the keyboard and a screen reader, in light and dark, at phone width",
} as const satisfies Record<string, string>;

/** Accounts on social platforms. */
const platforms = {
  "PLATFORM-1":
    "connect_platform answers { connectUrl, expiresInMinutes } (15); list_platforms shows platforms and connections",
  "PLATFORM-2": "connecting the same account again renews it",
  "PLATFORM-3":
    "disconnect_platform answers { disconnected }; credentials are wiped, and revoked where the platform can",
  "PLATFORM-4": "connecting and disconnecting need owner or admin; a member gets forbidden",
  "PLATFORM-5": "platform_unsupported, platform_not_configured",
  "PLATFORM-6": "the page is for the same user, signed in, still owner or admin; connect_expired",
  "PLATFORM-7": "a platform that denies, answers nonsense, slowly or never: nothing stored",
  "PLATFORM-8": "instanceUrl: the instance of a platform that has many; public addresses only",
  "PLATFORM-9": "credentials are refreshed ahead of their end, once however many ask",
  "PLATFORM-10": "platform credentials are encrypted, each bound to its row",
  "PLATFORM-11": "PLATFORM_<NAME>_…: credentials of this server at a platform, checked at start",
  "PLATFORM-12": "get_post says what each connected platform would refuse or warn about",
  "PLATFORM-13": "the web app's platforms page; the connect page is a plain form",
} as const satisfies Record<string, string>;

/** The web app, as a person at a browser meets it. */
const webApp = {
  "WEB-1": "a new user signs in and creates a studio",
  "WEB-2": "an invitation by link lets someone in; what a role may not do is not offered",
  "WEB-3": "an address opened without a session is opened after sign-in",
  "WEB-4": "the Connect page shows a client the moment it connects",
  "WEB-5": "an open page shows within two seconds what an assistant did",
  "WEB-6": "what is typed is saved; what was changed on both sides is shown, with a choice",
  "WEB-7": "what can be undone can be undone from where it was done",
  "WEB-8": "the active studio is switched here; a client follows when it connects anew",
  "WEB-9": "a client revoked here is refused at its next call",
  "WEB-10": "what cannot be undone asks first",
  "WEB-11": "signing out ends the web session",
  "WEB-12": "pages work at phone width, by keyboard, in light and dark",
} as const satisfies Record<string, string>;

export const requirements: Readonly<Record<string, string>> = {
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
