import { errors } from "oidc-provider";
import { isLoopbackName } from "#lib/ip-address.ts";

/**
 * MCP clients whose redirect scheme has no dot. Extensions of editors based on VS Code redirect to the editor's scheme.
 * Add a client here once its redirect URI is known from its source or documentation.
 */
const clientSchemes: ReadonlySet<string> = new Set([
  "antigravity", // Google Antigravity
  "claude", // Claude
  "code-oss", // Code - OSS
  "cursor", // Cursor
  "goose", // Goose
  "jetbrains", // JetBrains IDEs
  "kiro", // Kiro
  "mcpjam", // MCPJam Inspector
  "positron", // Positron
  "raycast", // Raycast
  "trae", // Trae
  "vscode", // Visual Studio Code
  "vscode-insiders", // Visual Studio Code Insiders
  "vscodium", // VSCodium
  "warp", // Warp
  "windsurf", // Windsurf
  "windsurf-next", // Windsurf Next
  "zed", // Zed
]);

/** A reverse domain name, such as `com.example.app`. */
const reverseDomainPattern = /^[a-z][a-z0-9]*(?:\.[a-z0-9-]+)+$/;

/** Schemes of operating systems, which also contain a dot, such as `microsoft.windows.camera:`. */
const systemSchemePattern = /^(?:com\.apple|microsoft|windows)\./;

/**
 * Whether a native client may redirect to this private-use scheme (RFC 8252 §7.1). This is an allowlist, because no
 * blocklist would be complete: `javascript:` runs code, `microsoft-edge:` and `shell:` start programs.
 */
function isClientScheme(scheme: string): boolean {
  return clientSchemes.has(scheme) || (reverseDomainPattern.test(scheme) && !systemSchemePattern.test(scheme));
}

type Metadata = Record<string, unknown>;

/** The metadata that we store. Other fields are unused, or could make us fetch URLs that the client chose. */
const allowedFields = new Set([
  "application_type",
  "client_id",
  "client_id_issued_at",
  "client_name",
  "client_secret",
  "client_secret_expires_at",
  "client_uri",
  "contacts",
  "grant_types",
  "id_token_signed_response_alg",
  "logo_uri",
  "policy_uri",
  "redirect_uris",
  "response_types",
  "software_id",
  "software_version",
  "token_endpoint_auth_method",
  "tos_uri",
]);

const grantTypes = ["authorization_code", "refresh_token"];
const urlFields = ["client_uri", "logo_uri", "policy_uri", "tos_uri"];
const maxRedirectUris = 50;

/**
 * Changes a client's metadata so that the library accepts it: real clients omit fields, send nulls and
 * empty strings, request unsupported grant types, and declare themselves `web` while listening on loopback.
 * Runs for registration (RFC 7591), for metadata documents, and each time a client is loaded.
 */
export function normalizeClientMetadata(metadata: Metadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (value === null || value === "" || !allowedFields.has(name)) delete metadata[name];
  }
  for (const field of urlFields) if (!isHttpsUrl(metadata[field])) delete metadata[field];
  if (
    !Array.isArray(metadata["contacts"]) ||
    !metadata["contacts"].every((contact) => typeof contact === "string" && /^[\w.+-]+@[\w.-]+$/.test(contact))
  ) {
    delete metadata["contacts"];
  }
  if (typeof metadata["client_name"] === "string") metadata["client_name"] = metadata["client_name"].slice(0, 200);
  metadata["grant_types"] = grantTypes;
  metadata["response_types"] = ["code"];
  metadata["response_modes"] = ["query"];
  metadata["id_token_signed_response_alg"] = "ES256";
  // A client with a metadata document is public, even if it declares `private_key_jwt`, which we do not support. A
  // document with a secret stays unchanged, so that the library rejects it.
  if (isHttpsUrl(metadata["client_id"]) && metadata["client_secret"] === undefined)
    metadata["token_endpoint_auth_method"] = "none";
  const redirectUrls = parseRedirectUris(metadata["redirect_uris"]);
  // RFC 8252: loopback redirects on any port and private-use schemes belong to native clients.
  metadata["application_type"] = redirectUrls.some((url) => url.protocol !== "https:") ? "native" : "web";
}

/** URL hosts may contain `;`, `,` and `*`, which would change the consent page's Content-Security-Policy. */
const hostNamePattern = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

function parseRedirectUris(uris: unknown): URL[] {
  if (!Array.isArray(uris) || uris.length === 0) throw invalidRedirectError("at least one redirect URI is required");
  if (uris.length > maxRedirectUris)
    throw invalidRedirectError(`at most ${maxRedirectUris} redirect URIs can be registered`);
  return uris.map((uri: unknown) => {
    const url =
      typeof uri === "string" && uri.length <= 2000 && !/[\s\\]/.test(uri) && URL.canParse(uri)
        ? new URL(uri)
        : undefined;
    if (!url) throw invalidRedirectError("redirect URIs must be absolute URIs");
    if (url.username !== "" || url.password !== "")
      throw invalidRedirectError("redirect URIs must not contain credentials");
    if (/^https?:$/.test(url.protocol) && !hostNamePattern.test(url.hostname))
      throw invalidRedirectError("redirect URIs must have a valid host");
    if (url.protocol === "http:" && !isLoopbackName(url.hostname))
      throw invalidRedirectError("http redirect URIs are only allowed for loopback");
    // Before sign-in, our error page shows these parameters of the redirect URL (`showEarlyErrors`). Their text
    // must not come from the client.
    if (url.searchParams.has("error") || url.searchParams.has("error_description"))
      throw invalidRedirectError("redirect URIs must not contain the parameters error and error_description");
    const scheme = url.protocol.slice(0, -1);
    if (scheme !== "https" && scheme !== "http" && !isClientScheme(scheme))
      throw invalidRedirectError(
        `the redirect scheme ${scheme} is not allowed: use https, loopback http or a reverse domain name`,
      );
    return url;
  });
}

function isHttpsUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && new URL(value).protocol === "https:";
}

function invalidRedirectError(reason: string): Error {
  return Object.assign(new errors.InvalidRedirectUri(), { error_description: reason });
}
