/**
 * What Atelier promises, by id. Tests cite the ids they cover at the end of their titles:
 * `test("keeps at least one owner (ROLE-3)", …)`. `requirements.test.ts` fails if no test covers a requirement, or if a
 * test cites an unknown id. Add a row here for every new requirement.
 */

/** Users, studios, roles, posts and activity. */
const studios = {
  "WORD-1": "a user is identified by (issuer, subject), never by email",
  "WORD-2": "a studio has id, name, slug, timezone, createdAt",
  "WORD-3": "a membership has one of the roles owner, admin, member",
  "WORD-4":
    "a post has id, title, body, status, revision, readyRevision, assets, createdBy, createdByClient, createdAt, updatedAt, url",
  "WORD-5": "a post is draft, ready or archived",
  "WORD-6": "a post's revision increases with every change",
  "WORD-7": "ids are opaque, with a readable prefix, sortable by time",
  "WORD-8": "JSON is camelCase, times are ISO 8601 UTC",
  "STUDIO-1": "the creator of a studio is its owner; it becomes the active studio",
  "STUDIO-2":
    "calls act on the active studio while the user is a member, otherwise on the studio of their first membership",
  "STUDIO-3": "a user can activate only a studio they are a member of; any other is not_found",
  "STUDIO-4": "membership and role are read for every call: removal or demotion takes effect on the next call",
  "STUDIO-5": "ids of another studio get the same response as ids that do not exist: not_found",
  "ROLE-1": "one policy table defines which role may do what",
  "ROLE-2": "admins manage members and admins; only owners manage and appoint owners",
  "ROLE-3": "a studio always keeps at least one owner",
  "ROLE-4": "members can be listed, get another role, be removed and leave",
  "INVITE-1": "an invitation is a link {base}/join/<token>, valid for 7 days",
  "INVITE-2": "an invitation can be accepted once",
  "INVITE-3": "an invitation for an email can be accepted only by a user with that verified email",
  "INVITE-4": "a revoked invitation cannot be accepted",
  "INVITE-5": "links are stored hashed or not at all",
  "POST-1": "posts can be created, read and changed",
  "POST-2": "a change based on an old revision is rejected: revision_conflict",
  "POST-3":
    "posts can be filtered by status, tag and query: every word must match, in any order; they are listed newest first, or those that are scheduled soonest first, with limit and cursor",
  "POST-4": "a cursor keeps its position while posts are added",
  "POST-5": "posts and assets have tags: trimmed, lower case, 1 to 40 characters, at most 20; a list replaces them",
  "ACT-1": "activity records who did what, through which client; owners and admins can read it",
  "ACT-2": "a change and its activity row are committed together or not at all",
} as const satisfies Record<string, string>;

/** Errors. */
const errors = {
  "ERR-1": "the error codes are exactly those in errorCodes",
  "ERR-2": "an error is { code, message, hint? }",
  "ERR-3":
    "an unexpected failure is reported as internal with a reference; no stack trace, SQL, path or token leaves the process",
  "ERR-forbidden": "the role does not allow the action",
  "ERR-not_found": "the object does not exist in this studio",
  "ERR-invalid_input": "the input does not match the schema",
  "ERR-revision_conflict": "the post has a newer revision",
  "ERR-rate_limited": "too many requests",
  "ERR-storage_unavailable": "the file store or the database is unavailable",
} as const satisfies Record<string, string>;

/** Every error code. */
export const errorCodes = [
  ...["forbidden", "inline_too_large_use_presign", "too_large", "not_found", "invalid_input", "unsupported_type"],
  ...["type_mismatch", "not_uploaded", "upload_expired", "asset_limit_reached", "already_attached", "not_attached"],
  ...["asset_in_use", "revision_conflict", "idempotency_conflict", "rate_limited", "quota_exceeded"],
  ...["storage_unavailable", "url_blocked", "url_unreachable", "platform_unsupported", "platform_not_configured"],
  ...["connect_expired", "connect_denied", "internal", "unauthenticated"],
  ...["review_pending", "review_ended", "not_publishable", "already_scheduled", "too_late", "post_in_use"],
  ...["no_free_slot"],
] as const;

/** Settings with their defaults. */
const settings = {
  "VAR-HOST": "HOST, PORT: 127.0.0.1, 3000",
  "VAR-BASE_URL": "BASE_URL: http://localhost:$PORT",
  "VAR-LOGIN_URL": "UPLOAD_PAGE_URL, LOGIN_URL: {base}, {base}/login; LOGIN_URL must have the origin of {base}",
  "VAR-SIGN_IN_ALLOW": "SIGN_IN_ALLOW: * on loopback, required elsewhere",
  "VAR-MCP_ORIGINS": "MCP_ORIGINS: additional browser origins; none",
  "VAR-METRICS_TOKEN": "METRICS_TOKEN: unset",
  "VAR-DATA_DIR": "DATA_DIR: ./data",
  "VAR-DATABASE_URL": "DATABASE_URL: postgres://…; unset: SQLite",
  "VAR-DATABASE_LISTEN_URL": "DATABASE_LISTEN_URL: DATABASE_URL",
  "VAR-STORAGE": "STORAGE: disk, or s3 with S3_…",
  "VAR-SECRETS": "SECRETS: at least one, newest first, at least 32 bytes each; generated on loopback",
  "VAR-OIDC": "OIDC_…: the identity provider; additional ones are numbered; the dev issuer on loopback",
  "VAR-LIMITS": "MAX_…: limits on files and studios",
  "VAR-OAUTH_CLIENTS": "OAUTH_CLIENTS: path to a file of pre-registered clients",
  "VAR-ENTERPRISE_ISSUERS": "ENTERPRISE_ISSUERS: path to a file of issuers whose assertions give access",
  "VAR-CLIENT_DOCUMENTS": "CLIENT_DOCUMENTS: on; off: client metadata documents are neither advertised nor fetched",
  "VAR-TRUST_PROXY": "TRUST_PROXY: off",
  "VAR-PLATFORM": "PLATFORM_<NAME>_CLIENT_ID, …_SECRET",
  "VAR-MAIL": "SMTP_URL, MAIL_FROM: none; both or neither",
  "VAR-CONFORMANCE_FIXTURES": "CONFORMANCE_FIXTURES: off; on is accepted only on loopback",
  "VAR-RATE_LIMITS": "RATE_LIMITS: on; off is accepted only on loopback",
  "VAR-LOG_LEVEL": "LOG_LEVEL: info",
} as const satisfies Record<string, string>;

/** Startup, database, logs and signed tokens. */
const operation = {
  "RUN-1": "all settings are validated at startup, and one readable message lists all problems",
  "RUN-2": "invalid values never fall back to defaults silently",
  "RUN-3": "the defaults give a working service on loopback",
  "RUN-4": "losing the database causes clear errors, and the server recovers without a restart",
  "RUN-5": "two processes share one data folder safely, or the second does not start",
  "RUN-6": "a damaged database is rejected and left unchanged",
  "RUN-7": "both engines run the same SQL; migrations have checksums and resume after kill -9",
  "RUN-8": "kill -9 loses nothing that was acknowledged",
  "RUN-10":
    "npm run doctor names the cause and the fix of what keeps clients from connecting, finds nothing wrong with a correct set-up, and changes nothing",
  "RUN-11":
    "npm run export writes what a studio contains: rows as JSON, and each file as <assetId>.<extension> with its name in a manifest",
  "RUN-12":
    "databases that earlier versions wrote keep every row when they are migrated, and every page and tool works on them",
  "RUN-9": "logs contain no token, cookie or signed URL",
  "TOKEN-1": "a signed token is valid for one purpose, until it expires",
  "TOKEN-2": "the newest secret signs, all secrets verify",
} as const satisfies Record<string, string>;

/** Signing in. */
const signIn = {
  "SIGN-1": "the login URL leads to the identity provider, then back to the page that the user requested",
  "SIGN-2": "the identity provider is any OpenID Connect issuer; several can be configured",
  "SIGN-3": "without a configured identity provider, a built-in dev issuer runs on loopback",
  "SIGN-4": "the dev issuer rejects peers that are not loopback, and forwarded requests",
  "SIGN-5": "SIGN_IN_ALLOW admits verified emails and @domains, or everyone with *",
  "SIGN-6": "an invitation admits the user who accepts it",
  "SIGN-7": "POST /api/sign-out responds with 204 and ends the web session",
  "SIGN-8": "sign-in and error pages are plain HTML forms that need no script",
  "SIGN-9": "{base} never comes from a request header",
} as const satisfies Record<string, string>;

/** How AI clients discover the server, get consent, and obtain, refresh and lose tokens. */
const clients = {
  "META-1": "RFC 9728 metadata at /.well-known/oauth-protected-resource and …/mcp",
  "META-2": "RFC 8414 metadata at /.well-known/oauth-authorization-server, …/mcp and /.well-known/openid-configuration",
  "META-3": "the URLs in metadata come from settings, never from a request header",
  "META-4": "any unknown path under /.well-known/ returns a JSON 404",
  "META-5": "pages on any origin can read the metadata and call the OAuth endpoints, without cookies",
  "AUTH-1": "POST /mcp without a bearer token: 401 with WWW-Authenticate: Bearer resource_metadata=…",
  "AUTH-2": 'an invalid or expired token: 401 with error="invalid_token" and resource_metadata',
  "AUTH-3": "a user without any membership: HTTP 403, text/plain, with the exact body No studio membership",
  "GRANT-20":
    "the AI clients page shows how far a new client came (approved, token issued, first call), and what usually causes an unused token",
  "ENT-1":
    "an assertion of a configured issuer gives a client a short token for an existing user, without a consent page, a refresh token or studio:publish",
  "ENT-2":
    "an assertion that is forged, expired, replayed or not for this server, client and user is rejected, and the log says why",
  "ENT-3": "access by assertions is revocable like any grant, and obeys SIGN_IN_ALLOW, memberships and disabled users",
  "ENT-4": "users link their account at an issuer where they do not sign in, once and in their own browser",
  "REG-1": "dynamic client registration, RFC 7591, open to every client, rate-limited",
  "REG-2":
    "loopback redirects on any port are accepted, and private-use schemes that have a dot or belong to a known client; other schemes and other http redirects are rejected",
  "REG-3": "the operator can pre-register clients",
  "REG-4": "a client can use a metadata document, with its https URL as client_id",
  "REG-5": "unused registrations are deleted after a day, used ones never",
  "AUTHZ-1": "the authorization endpoint supports only the authorization code flow with PKCE S256",
  "AUTHZ-2":
    "without a web session, the authorization endpoint leads to the login URL, the identity provider, and back to the same step",
  "AUTHZ-3":
    "the consent page shows the client, its redirect URL, the studio and the requested access; the user allows or cancels",
  "AUTHZ-4": "consent is required for each client, every time",
  "GRANT-1": "a code is valid for 60 s and can be used once",
  "GRANT-2": "an opaque access token is valid for one hour, bound to the resource {base}/mcp",
  "GRANT-3": "a rotating refresh token is valid for 30 days, extended with each use up to 90 days",
  "GRANT-4": "the current refresh token, or the previous one for 30 s, is accepted; anything older revokes the grant",
  "GRANT-5": "reuse of a code revokes the grant",
  "SCOPE-1": "a request without scopes asks for studio:read and studio:write",
  "SCOPE-2": "a user can grant read-only access, and no request can widen it",
  "END-1": "signing out of the web app does not end a client's token",
  "END-2": "revoking a grant ends access immediately",
  "END-3": "authorization records are stored by Atelier itself and survive a restart unchanged",
  "STORE-1": "tokens, codes and cookies are stored hashed or not at all",
} as const satisfies Record<string, string>;

/** Revisions, the trash, undo of an AI client's changes, and comments. */
const history = {
  "HIST-1":
    "every change of a post is a revision with user, client, time, changed fields, text, status and ordered assets with alt text",
  "HIST-2":
    "autosaves of one user within five minutes collapse into the last of them; nothing else collapses, and nothing by an AI client",
  "HIST-3": "through an AI client, update_post of title, body or variants requires the revision that it read",
  "HIST-4": "a post that changes while ready keeps the revision at which it was marked ready",
  "HIST-5": "restore_post creates a new revision with the old content and lists assets that could not be restored",
  "HIST-6": "a revision or post that does not exist in the studio is not_found",
  "HIST-7": "existing posts get their first revision by migration, and are attributed to the client that created them",
  "HIST-8": "the history attributes files uploaded through a link to the person, even if an AI client created the link",
  "TRASH-1":
    "delete_post moves a post to the trash; it and its assets are not_found, its upload links end, and it is restored as it was",
  "TRASH-2":
    "delete_asset moves a ready asset to the trash, where it counts toward the quota, and deletes a pending one",
  "TRASH-3": "what was in the trash for 30 days is deleted with its files; nothing else is",
  "TRASH-4": "owners and admins can empty the trash; members can not",
  "TRASH-5": "the trash lists what was deleted, by whom and until when it can be restored, the last deleted first",
  "TRASH-6": "backup, restore and move include the trash and the history",
  "UNDO-1":
    "undo_changes reverts what the client changed, field by field, and can itself be undone; a dry run changes nothing",
  "UNDO-2": "a field that another user or client changed afterwards keeps that value and is reported as a conflict",
  "UNDO-3": "posts that the client created go to the trash unless another user or client edited them",
  "UNDO-4": "assets that the client moved between posts return to their posts",
  "UNDO-5": "a client is one user's grants of the same OAuth client in one studio",
  "UNDO-6": "members undo their own clients' changes, owners and admins those of any client in their studio",
  "UNDO-7": "since must be within the last 30 days; the error names the allowed range",
  "UNDO-8": "undo_changes removes the client's comments; replies of others stay, and undoing the undo restores them",
  "UNDO-9":
    "undo_changes cancels publications that the client requested and that have not started, and lists those that have started or are published",
  "UNDO-10":
    "in the web app, an undo or restore by a person who may publish approves again the publications that the request names, if the reverted change returned them, they send exactly what was approved, and their time is in the future",
  "COM-1": "add_comment returns the comment with user and client; get_post returns the newest with includeComments",
  "COM-2": "people reply, resolve and reopen threads, and delete their own comments; replies to a deleted one stay",
  "COM-3": "comments of a post in the trash or of another studio are not_found; a restored post has them again",
  "COM-4": "a comment has 1 to 10,000 characters and is text, not markup; a post has at most 1,000",
  "COM-5": "backup, restore and move include comments; they are deleted with their post or studio",
  "COM-6": "an open post shows new comments without a reload",
} as const satisfies Record<string, string>;

/** Files. */
const assets = {
  "ASSET-1": "the asset view is exactly { id, postId, kind, mimeType, filename, bytes, status }",
  "ASSET-2":
    "request_asset_upload returns { assetId, uploadUrl, expiresAt }: one plain PUT, 10 minutes, curl -T with no other header",
  "ASSET-3":
    "upload_asset_inline returns { assetId, bytes }; the asset is ready immediately and not attached to a post",
  "ASSET-4":
    "inline_too_large_use_presign for 5 × 1024 × 1024 decoded bytes or more, checked before anything else about the file",
  "ASSET-5": "attach_asset returns the asset view; attaching to the same post again returns it again",
  "ASSET-6": "detach_asset returns { detached }; the stored file is kept and can be attached elsewhere",
  "ASSET-7": "too_large at attach: object and record are deleted",
  "ASSET-8": "type_mismatch: the bytes are recognized as another type; object and record are deleted",
  "ASSET-9": "not_uploaded and upload_expired if nothing was PUT",
  "ASSET-10": "asset_limit_reached: the limit per post holds under any number of parallel attaches",
  "ASSET-11": "already_attached, not_attached, asset_in_use",
  "ASSET-12":
    "get_post shows each asset with url, thumbnailUrl, altText, width, height, durationMs, and previews for the model",
  "ASSET-13": "update_post accepts a new order of exactly the assets of the post",
  "ASSET-14": "list_assets, get_asset, update_asset, delete_asset",
  "ASSET-15": "import_asset_from_url: public URLs only; url_blocked, url_unreachable",
  "ASSET-16": "import_asset_from_url with an idempotencyKey returns the first result again",
  "ASSET-17": "each kind has its allowed types; SVG and HTML are never accepted",
  "ASSET-18": "a PUT repeated after attach does not change the served file",
  "ASSET-19": "every upload method checks the declared type against the bytes, with the same result",
  "ASSET-20": "orphaned files are deleted, files in use never are",
  "ASSET-21": "file names are display text, never part of a path; a missing name is generated",
  "ASSET-22": "files are served with the verified type, nosniff and a sandboxing CSP; documents as a download",
  "ASSET-23": "assets follow the state transition table",
  "ASSET-24": "invalid base64 and empty files are invalid_input",
  "CHAT-1": "posts are resources: list with cursor, template, read as JSON, completion of ids by title",
  "CHAT-2": "prompts: draft a post, prepare a post for every account, review what went out this week",
  "CHAT-20":
    "resources/subscribe (2025) and subscriptions/listen (2026) announce changes of posts within 2 seconds, regardless of the process that made them",
  "CHAT-21":
    "a subscriber is notified only of posts of its studio, and only while its token, grant and membership are valid",
  "CHAT-13":
    "the in-chat app ui://atelier/post: one document of at most 150 KB with the post, thumbnails, theme, size and locale",
  "CHAT-14": "the in-chat app uploads to the store, through app-only tool calls, or through the upload link",
  "CHAT-15": "the in-chat app proposes publications and never publishes or approves",
  "CHAT-16":
    "hosts without in-chat apps see the same tools; app-only tools check scope, studio and grant, and roles like every tool",
  "CHAT-30": "attach_file fetches the file that the host hands over and attaches it; its URL is never stored or logged",
  "CHAT-32":
    "skills/list, skills/get and skill:// resources with digests, from the same source as the prompts; ai-catalog.json lists the server card",
  "CHAT-31": "GET /mcp/server-card; a browser that opens /mcp gets a page that explains it and links to Connect",
  "TASK-1": "import_asset_from_url runs as a task for clients that declare the extension, and for no others",
  "TASK-2": "tasks survive restarts, work across processes, and can be canceled",
  "TASK-3": "only the grant that started a task can see it, for a day",
  "TASK-4": "a publish_post task ends when each publication is proposed, scheduled for later, or final",
  "CHEAP-1": "names, descriptions and input schemas of all tools take at most 16 KB, all of tools/list at most 40 KB",
  "CHEAP-2": "list_posts returns a 280-character excerpt instead of the body unless includeBody",
  "CHEAP-3": "URLs of assets are returned only with includeUrls",
  "CHEAP-4": "import_asset_from_url attaches the file to postId",
  "CHEAP-5": "not_found names the tool that lists valid ids and recognizes an id of another kind",
  "CHEAP-6": "an unknown tool name returns an error that suggests the closest one",
  "LIB-1":
    "copy_asset returns { assetId }: a ready asset on no post with the same filename, alt text and file; no bytes are copied",
  "LIB-2": "a file that assets share counts once toward the quota and is deleted with its last asset",
  "LIB-3": "people upload to the library without a post",
} as const satisfies Record<string, string>;

/** Upload links and the upload page. */
const uploads = {
  "UPLOAD-1": "create_upload_session takes postId and returns { url, expiresInMinutes }: {uploadPage}/u/<token>, 30",
  "UPLOAD-2": "bytes go directly to the store in parts, and a finished file is attached to the post",
  "UPLOAD-3": "a full post rejects files before bytes are sent",
  "UPLOAD-4": "unsupported types are rejected before bytes are sent, and again by content after",
  "UPLOAD-5": "an upload can be started within 30 minutes; a started upload can take 24 hours",
  "UPLOAD-6":
    "a link stops working when its creator leaves, its client is revoked, its post is archived, or it is withdrawn",
  "UPLOAD-7": "the post's page lists its upload links and can withdraw them",
  "UPLOAD-8": "a link shows only the studio's name, the post's title and the files sent through it",
  "UPLOAD-9":
    "all files arrive complete despite parallel uploads, a lost network, a reloaded page or a restarted server",
  "UPLOAD-10":
    "the page shows progress, speed, remaining time and previews; offers pause, resume, retry, cancel and alt text; accepts any size",
  "UPLOAD-11": "expired, forged or withdrawn links show a page that says so",
  "UPLOAD-12": "the page works with the keyboard and a screen reader, in light and dark, at phone width",
} as const satisfies Record<string, string>;

/** Accounts on social platforms. */
const platforms = {
  "PLATFORM-1":
    "connect_platform returns { connectUrl, expiresInMinutes } (15); list_platforms shows platforms and connections",
  "PLATFORM-2": "connecting the same account again renews it",
  "PLATFORM-3":
    "disconnect_platform returns { disconnected }; credentials are deleted, and revoked if the platform supports it",
  "PLATFORM-4": "connecting and disconnecting require owner or admin; a member gets forbidden",
  "PLATFORM-5": "platform_unsupported, platform_not_configured",
  "PLATFORM-6": "the connect page requires the same user, signed in and still owner or admin; connect_expired",
  "PLATFORM-7": "nothing is stored if a platform denies access, sends invalid data, or responds too late or never",
  "PLATFORM-8": "instanceUrl selects the instance of a platform with many instances; public URLs only",
  "PLATFORM-9": "credentials are refreshed before they expire, once for any number of concurrent callers",
  "PLATFORM-10": "platform credentials are encrypted, each bound to its row",
  "PLATFORM-11": "PLATFORM_<NAME>_…: this server's credentials for a platform, validated at startup",
  "PLATFORM-12": "get_post reports what each connected platform would reject or warn about",
  "PLATFORM-13": "the web app has a platforms page; the connect page is a plain form",
  "PLATFORM-14": "PRIVATE_HOSTS lists private hosts that platform connections may reach; link-local never",
  "PLATFORM-15":
    "Bluesky accounts are their DID, confirmed by their own server; BLUESKY_PLC_URL names the directory; tokens are bound to a key",
  "PLATFORM-16": "on Bluesky, links, mentions and tags cover the right bytes, and a post has one record key",
} as const satisfies Record<string, string>;

/** The web app. */
const webApp = {
  "WEB-1": "a new user signs in and creates a studio",
  "WEB-2": "an invitation link admits a user; the UI offers only what the role allows",
  "WEB-3": "a URL requested without a session opens after sign-in",
  "WEB-4": "the Connect page shows a client as soon as it connects",
  "WEB-5": "an open page shows an AI client's changes within two seconds",
  "WEB-6": "edits are saved; conflicting edits are shown with a choice",
  "WEB-7": "a reversible action can be undone on the page where the user took it",
  "WEB-8": "the active studio can be switched; a client uses it from its next connection on",
  "WEB-9": "a client revoked in the web app is rejected on its next call",
  "WEB-10": "actions that cannot be undone ask for confirmation",
  "WEB-11": "signing out ends the web session",
  "WEB-12": "pages work at phone width, by keyboard, in light and dark",
  "WEB-13":
    "the approval page opens the chosen post; nothing to click moves under the pointer; an approval can be undone",
} as const satisfies Record<string, string>;

/** Publications. */
const publishing = {
  "PUB-1": "a published publication is public with its text, media and alt text, and links to the post",
  "PUB-2": "a lost response or an outage ends in published, a rejection in failed, and nothing appears twice",
  "PUB-3": "without studio:publish, an AI client proposes, and a person approves the revision that they saw",
  "PUB-4":
    "an edit of what is sent moves the approval to it if the editor may publish, and otherwise returns the publication to proposed; edits after the start change nothing",
  "PUB-5": "one open publication per post and account; times and posts that can't be published are rejected",
  "PUB-6": "each account receives its variant, otherwise the body and all files",
  "PUB-7":
    "kill -9 loses no publication and publishes none twice; only platforms reconciled by read-back can leave one unconfirmed",
  "PUB-8": "any number of processes publish; publications of one account run one after another",
  "PUB-9":
    "a publication that was due over an hour ago is missed, and an interrupted one fails; the database clock decides",
  "PUB-10": "a reschedule keeps the approval if the caller may publish, including that of a missed publication",
  "PUB-11": "without studio:publish nothing becomes public, and no approval survives a change of what is sent",
  "PUB-12":
    "a publication starts only while its approver or requester may publish, the grant is valid and the account is connected",
  "PUB-13": "retries honour Retry-After and end after an hour; a rejected access token is renewed once",
  "PUB-14": "a shutdown finishes the request that makes a post public and releases other runs",
  "PUB-18": "a publication starts at once in any process that has a free slot, or at its time",
  "PUB-15": "people resolve unconfirmed publications: published, with a URL of the platform, or publish again",
  "ERR-not_publishable": "a platform would reject the post, it is empty or archived, or the account must reconnect",
  "ERR-already_scheduled": "the post already has an open publication for the account",
  "ERR-too_late": "the publication's state does not allow the change",
  "ERR-post_in_use": "a post with a scheduled, publishing or unconfirmed publication can't be archived or deleted",
  "PUB-30":
    "an approval delays what would start at once by startInSeconds, and nothing else; until it starts, it can be undone",
  "PUB-31":
    "proposals of a post are approved together, all or none, at the revision and the times that the approver saw",
  "PUB-17": "members see the whole timeline of a publication and what was sent",
  "PUB-25": "platforms that fetch media get a signed public URL for exactly one file, for at most an hour",
  "PUB-20": "the web app counts a text as each platform does",
  "OPTION-1":
    "a variant has the options that its platform declares; they are stored, restored, approved and sent with the text",
  "OPTION-2": "an AI client sets or changes no option that only a person may choose, on any path",
  "OPTION-3": "without a required option a post is not publishable; an AI client may propose it",
  "OPTION-4":
    "a change by an AI client of what an account with an option of a person receives needs an approval, even with studio:publish",
  "OPTION-5": "choices that depend on the account, such as boards, are read from it, cached, and checked",
  "OPTION-6": "each platform receives its options in the parameters that its API documents, and its defaults otherwise",
  "VIDEO-1":
    "a video is uploaded completely or in all parts but the last before the commit, and appears once after lost responses and kills",
  "VIDEO-2": "an interrupted upload continues at the byte that the platform reports, without a second upload",
  "VIDEO-4": "without an audit of the app, a post can be sent to TikTok as a draft, which is published with a problem",
  "VIDEO-3":
    "visibility is read back: a post that the platform keeps private is published with a problem that says why",
  "FOLLOW-1":
    "follow-ups are published once each, in order, as replies to the part before; each part is its own commit",
  "FOLLOW-2":
    "if a part fails, the publication is published with a problem that counts the parts, and Continue sends the missing approved ones",
  "FOLLOW-3": "a part whose outcome is unknown is never repeated before a person says so",
  "FOLLOW-4": "each part counts in the units of the platform; where no replies are published, validation says so",
  "PUB-16": "the sandbox lists what it published; its faults are counted in the database",
} as const satisfies Record<string, string>;

/** Slots and results. */
const planning = {
  "SLOT-1": "owners and admins replace the weekly slots of the studio's accounts as a whole; every member reads them",
  "SLOT-2":
    "next_slot schedules at the earliest slot of each account that no open publication occupies; no slot is given twice",
  "SLOT-3": "without a free slot within 60 days, a request for the next slot fails with no_free_slot for all accounts",
  "SLOT-4":
    "slots are wall-clock times of the studio: a skipped one moves forward by the gap, one that occurs twice happens once; what is scheduled never moves",
  "SLOT-5":
    "the calendar shows the free slots of connected accounts, and a post that is dropped on one is scheduled there",
  "SLOT-6": "several posts are scheduled at the next free slots in the order in which they were selected",
  "RES-1":
    "published posts are read at 1, 6 and 24 hours, 3, 7, 14, 30 and 90 days; every reading is kept once, and a number that is not known is null with a reason",
  "RES-2":
    "reading results waits for the account's publications and for the platform's limits, in batches, and outlives kills, missing credentials and outages",
  "RES-3": "every member reads results, and reads them again at most once a minute per publication",
  "RES-4":
    "the results of an account's posts are compared only at the same age and under the same definition; a post that can't be compared says why",
  "RES-5": "every figure shown is a number that the platform gave: no total, rate or ranking is computed from it",
  "RES-6": "what a platform allows to be kept only for connected accounts is deleted when its account is disconnected",
  "RES-7": "results are exported as CSV, in which no text can be a formula",
  "FEED-1":
    "each user has at most one calendar feed per studio, whose URL is shown once; it ends with a new URL, a revocation, the membership and the account",
  "FEED-2":
    "the calendar feed has the proposed, scheduled and published posts as events of RFC 5545, whose changes and cancellations are updates",
  "FEED-3": "the calendar feed is limited per URL, and an unchanged one is a 304",
  "ERR-no_free_slot": "an account has no slots, or none that is free within 60 days",
};

/** Review links. */
const reviews = {
  "REV-1":
    "a review link {base}/r/<token> covers up to 50 posts for up to 30 days; it shows these posts as each account receives them, their times, its own comments and team comments shown to guests, and nothing else",
  "REV-2":
    "404 for a token that is not ours, 410 for a link that has expired, ended or was withdrawn; it ends with its maker, its grant, and for posts that are archived or in the trash",
  "REV-3":
    "a decision covers a digest of what each account receives, never the time; it is rejected if that has changed, and outdated while it differs",
  "REV-4": "opening the page or the link changes nothing but the count of views",
  "REV-5":
    "guests appear in activity as unverified, with the AI client of the link; a guest changes only decisions and comments, within limits",
  "REV-6": "comments are for the team unless a person shows them to guests; comments of guests stay with their link",
  "REV-7": "create_review_link returns { url, expiresAt }; only people set holdsPublishing",
  "REV-8": "lists of posts show and filter by what guests decided",
  "REV-9":
    "the page of a review link works at 360 px, in nine languages, in light and dark, with at most 90 KB of script",
  "HOLD-1":
    "while a review holds a post, whatever would become scheduled returns review_pending, and proposals are accepted",
  "HOLD-2":
    "making a holding link, or its review becoming outdated, returns what is scheduled to the proposals, also after an edit by someone who may publish",
  "HOLD-3": "expiry and other ends of a link keep the hold; withdrawing it by its maker, an owner or an admin ends it",
  "HOLD-4": "each holding link must be approved and current; other links do not count",
} as const satisfies Record<string, string>;

/** Webhooks. */
const webhooks = {
  "HOOK-1":
    "owners and admins manage up to 20 webhooks per studio; an unknown event type and a URL that is malformed, private or has credentials are rejected when it is created, changed, tested and sent to",
  "HOOK-2":
    "each committed event is delivered at least once to each webhook that wants it, in the form and with the signature of Standard Webhooks; what was rolled back is not, also after kills",
  "HOOK-3": "deliveries are retried with backoff for a day; Retry-After is honoured, redirects are not followed",
  "HOOK-4": "an endpoint that does not respond delays no other endpoint, and gets few requests until it recovers",
  "HOOK-5":
    "an endpoint that fails for five days, or responds 410, is disabled with a reason; its events are kept, and sent when it is enabled",
  "HOOK-6": "a replaced secret stays valid for a day, and requests are signed with both",
  "HOOK-7":
    "the log lists the deliveries of 30 days without response bodies; one, or all that failed since a time, can be sent again",
} as const satisfies Record<string, string>;

/** Emails. */
const mails = {
  "MAIL-1":
    "users choose per type and studio whether they are mailed about notifications at once, daily or never; by default at once about approvals and failures, otherwise daily, at 8:00 in the time zone of the studio",
  "MAIL-2":
    "a user gets no email about a studio that they left, about what they have read, or at an email that is not verified, also if it was queued before",
  "MAIL-3":
    "an email has a text and an HTML part, the headers that mark it as automatic, and one Message-ID for all attempts; no text becomes a header",
  "MAIL-4":
    "an invitation for an email is mailed: at most 20 per user and day, with names in which mail programs find no link",
  "MAIL-5": "one click ends the kind of emails that a link is about (RFC 8058); opening the link changes nothing",
  "MAIL-6":
    "a mail server that is down delays emails for up to four days and never a request; settings, readiness and metrics show it, and a test message reaches the caller",
};

/** Events. */
const events = {
  "EVT-1":
    "an open page hears within 2 seconds which objects of its studio changed, whichever process changed them; the tabs of a browser share one stream, which ends with the session or the membership, and an idle page sends no requests",
  "EVT-2":
    "every committed activity reaches the readers of events exactly once, whatever the order of commits and however many processes run; activity that was rolled back never does",
  "HEALTH-1":
    "owners and admins hear seven days and one day before a platform ends the access of an account, and at once when it no longer accepts the credentials; list_platforms and the web app say so, with the open publications that it affects",
  "NTF-1":
    "each user has an inbox per studio, with an unread count that is live on every tab: what waits for their approval, what became of their publications, accounts to reconnect, comments, mentions, reviews, and what others do to their AI clients; nothing about their own clicks, each event once, and nothing of studios that they have left",
};

export const requirements: Readonly<Record<string, string>> = {
  ...studios,
  ...webApp,
  ...signIn,
  ...clients,
  ...history,
  ...assets,
  ...uploads,
  ...platforms,
  ...publishing,
  ...planning,
  ...reviews,
  ...events,
  ...webhooks,
  ...mails,
  ...errors,
  ...settings,
  ...operation,
};
