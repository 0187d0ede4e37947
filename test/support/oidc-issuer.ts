import { createHmac, createPublicKey, generateKeyPairSync, sign, type JsonWebKey } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { interactionPolicy, Provider, type Configuration } from "oidc-provider";
import { createMemoryAdapter } from "#dev/in-process-provider.ts";
import { systemClock } from "#lib/clock.ts";

/** The claims that the issuer returns for a user. */
export interface IssuedClaims {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: string;
}

type Claims = Record<string, unknown>;

/** How to falsify an ID token. */
export interface Forgery {
  claims?: (claims: Claims) => Claims;
  /** No signature, HS256 keyed with the public key, a signature by an unpublished key, or a corrupted signature. */
  signature?: "none" | "hs256-public-key" | "foreign-key" | "corrupted";
}

/** A strict external OpenID Connect issuer on its own port, with switches for failures and attacks. */
export interface TestIssuer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The config of this issuer as an identity provider. */
  readonly settings: { id: string; name: string; issuer: string; clientId: string; clientSecret: string };
  /** Sets the claims for an email; by default, each email is verified and has its own subject. */
  setClaims(email: string, claims: IssuedClaims): void;
  /** Makes the next sign-in fail with `access_denied`, as when the user cancels it. */
  denyNext(): void;
  setForgery(forgery: Forgery | undefined): void;
  /** While true, requests get no response. */
  setStalled(isStalled: boolean): void;
  /** Signs an assertion or another JWT with the issuer’s key. */
  signToken(header: Claims, claims: Claims): string;
  /** Replaces the signing key; sign-ins that have started can still finish. */
  rotateKeys(): void;
  stop(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface IssuerOptions {
  redirectUris: readonly string[];
  id?: string;
  /** Returns name and email only at the userinfo endpoint, as OpenID Connect Core §5.4 specifies for the code flow. */
  usesUserinfoOnly?: boolean;
  /** Uses the hostname `localhost` and closes each connection, so that every request needs a DNS lookup. */
  usesHostname?: boolean;
}

/** Starts the issuer on a free port, which `restart` uses again. */
export async function startIssuer(options: IssuerOptions): Promise<TestIssuer> {
  const { redirectUris, id = "oidc", usesUserinfoOnly = false, usesHostname = false } = options;
  const client = { id: "atelier-test", secret: "a-secret-of-the-test-issuer-0123456789" };
  const claimsByEmail = new Map<string, IssuedClaims>();
  const adapter = createMemoryAdapter(systemClock);
  let isStalled = false;
  let shouldDeny = false;
  let forgery: Forgery | undefined;
  let key = createKey(1);
  let handle: (req: IncomingMessage, res: ServerResponse) => unknown;

  let server: Server | undefined;
  const listen = async (port: number): Promise<number> => {
    server = createServer((req, res) => void serve(req, res)).listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const issuer = `http://${usesHostname ? "localhost" : "127.0.0.1"}:${port}`;

  function createProvider(): void {
    const configuration: Configuration = {
      adapter,
      jwks: { keys: [key] },
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [...redirectUris],
          id_token_signed_response_alg: "ES256",
        },
      ],
      cookies: {
        keys: ["keys of the test issuer"],
        names: { session: "idp_session", interaction: "idp_interaction", resume: "idp_resume" },
      },
      pkce: { required: () => true },
      claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
      conformIdTokenClaims: usesUserinfoOnly,
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
      interactions: { policy: createLoginOnlyPolicy(), url: (_ctx, { uid }) => `/who/${uid}` },
      findAccount: (_ctx, email) => ({ accountId: email, claims: () => ({ ...getClaims(email) }) }),
      async loadExistingGrant(ctx) {
        const grant = new ctx.oidc.provider.Grant({
          accountId: ctx.oidc.session?.accountId ?? "",
          clientId: client.id,
        });
        grant.addOIDCScope("openid profile email");
        await grant.save();
        return grant;
      },
      ttl: { Session: 600, Interaction: 600, Grant: 600, AuthorizationCode: 60, AccessToken: 600, IdToken: 600 },
      renderError(ctx, out) {
        ctx.body = `issuer error: ${out.error}`;
      },
    };
    const provider = new Provider(issuer, configuration);
    provider.on("server_error", (_ctx, error) => console.error(error));
    const callback = provider.callback();
    handle = (req, res) => (req.url?.startsWith("/who/") ? handleLogin(provider, req, res) : callback(req, res));
  }
  createProvider();

  const getClaims = (email: string) =>
    claimsByEmail.get(email) ?? { sub: `sub-of-${email}`, name: email.split("@", 1)[0], email, email_verified: true };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (usesHostname) res.setHeader("connection", "close");
    if (isStalled) return;
    // Drops the issuer's session, so that every sign-in asks for the email.
    if (req.headers.cookie) req.headers.cookie = req.headers.cookie.replace(/idp_session[^;]*(; )?/g, "");
    if (req.url?.startsWith("/token") && forgery) forgeResponse(res, forgery, key);
    await handle(req, res);
  }

  async function handleLogin(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== "POST") {
      res.setHeader("content-type", "text/html; charset=utf-8");
      res.end(
        `<h1>Test issuer</h1><form method="post" action="${req.url}"><input type="text" name="login"><button>Continue</button></form>`,
      );
      return;
    }
    const body = await new Response(req).text();
    const email = new URLSearchParams(body).get("login") ?? "";
    const result = shouldDeny
      ? { error: "access_denied", error_description: "<b>not</b> today" }
      : { login: { accountId: email } };
    shouldDeny = false;
    await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  }

  const stop = async () => {
    const closed = server && once(server, "close");
    server?.close();
    server?.closeAllConnections();
    server = undefined;
    await closed;
  };
  return {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    settings: { id, name: "Test issuer", issuer, clientId: client.id, clientSecret: client.secret },
    setClaims: (email, claims) => void claimsByEmail.set(email, claims),
    denyNext: () => void (shouldDeny = true),
    setForgery: (nextForgery) => void (forgery = nextForgery),
    setStalled: (nextIsStalled) => void (isStalled = nextIsStalled),
    signToken(header, claims) {
      const input = `${encodeJson({ alg: "ES256", kid: key.kid, ...header })}.${encodeJson(claims)}`;
      return `${input}.${signEs256(input, key)}`;
    },
    rotateKeys() {
      key = createKey(Number(key.kid) + 1);
      createProvider();
    },
    stop,
    restart: async () => void (server ?? (await listen(port))),
    close: stop,
  };
}

type Key = JsonWebKey & { kid: string };

function createKey(kid: number): Key {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig", kid: String(kid) };
}

function createLoginOnlyPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}

/** Replaces the ID token in the response from the token endpoint. */
function forgeResponse(res: ServerResponse, forgery: Forgery, key: Key): void {
  const end = res.end.bind(res) as (body?: unknown) => ServerResponse;
  res.end = ((body?: unknown) => {
    const tokenResponse = JSON.parse(String(body)) as { id_token?: string };
    if (tokenResponse.id_token === undefined) return end(body);
    const text = JSON.stringify({ ...tokenResponse, id_token: forgeToken(tokenResponse.id_token, forgery, key) });
    res.setHeader("content-length", Buffer.byteLength(text));
    return end(text);
  }) as typeof res.end;
}

const encodeJson = (value: Claims): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const signEs256 = (input: string, jwk: Key): string =>
  sign("sha256", Buffer.from(input), { key: jwk, format: "jwk", dsaEncoding: "ieee-p1363" }).toString("base64url");

function forgeToken(
  token: string,
  { claims: changeClaims = (claims) => claims, signature }: Forgery,
  key: Key,
): string {
  const [head = "", body = "", originalSignature = ""] = token.split(".");
  const header = JSON.parse(Buffer.from(head, "base64url").toString()) as Claims;
  const claims = changeClaims(JSON.parse(Buffer.from(body, "base64url").toString()) as Claims);
  const signToken = (alg: string, createSignature: (input: string) => string) => {
    const input = `${encodeJson({ ...header, alg })}.${encodeJson(claims)}`;
    return `${input}.${createSignature(input)}`;
  };
  if (signature === "none") return signToken("none", () => "");
  if (signature === "foreign-key") return signToken("ES256", (input) => signEs256(input, createKey(0)));
  if (signature === "corrupted")
    return `${head}.${body}.${originalSignature.startsWith("A") ? "B" : "A"}${originalSignature.slice(1)}`;
  if (signature === undefined) return signToken("ES256", (input) => signEs256(input, key));
  const pem = createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" });
  return signToken("HS256", (input) => createHmac("sha256", pem).update(input).digest("base64url"));
}
