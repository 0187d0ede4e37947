import { CheckError, type Check } from "./checks.ts";

export const connectionCheckPath = "/mcp/check";

/** The headers of MCP requests, with values that no client sends. */
export const checkedHeaders: Readonly<Record<string, string>> = {
  authorization: "Bearer connection-check",
  "mcp-protocol-version": "2025-11-25",
  "mcp-session-id": "connection-check",
  "mcp-method": "connection/check",
  "mcp-name": "connection-check",
  "last-event-id": "connection-check",
};

/** The server waits before it sends the last event, so both arrive together only through a buffer. */
export const streamEvents = { first: "headers", last: "end" } as const;

interface ConnectionCheckOptions {
  /** The URL of the server, as clients use it. */
  base: string;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Explains why a request got no response. */
  explainNoResponse: (error: unknown) => CheckError;
  /** A browser cannot choose its user agent. */
  userAgents?: readonly string[];
}

const challengePath = "/.well-known/oauth-protected-resource";
const resourcePath = `${challengePath}/mcp`;
const serverPath = "/.well-known/oauth-authorization-server";
const timeoutMs = 20_000;
const maxStreamLength = 100_000;

/** What keeps AI clients from connecting, as seen by a program that sends requests to the public URL. */
export function createConnectionChecks(options: ConnectionCheckOptions): Check[] {
  const { base, userAgents = [] } = options;
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await options.fetch(base + path, { redirect: "manual", cache: "no-store", signal, ...init });
    } catch (error) {
      throw options.explainNoResponse(error);
    }
  };
  const callMcp = (headers: Record<string, string> = {}): Promise<Response> => {
    const accept = "application/json, text/event-stream";
    return send("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept, ...headers },
      body: "{}",
    });
  };
  const readJson = async (path: string): Promise<Record<string, unknown>> => {
    const response = await send(path);
    const text = await response.text();
    const document = response.status === 200 ? parseObject(text) : undefined;
    if (document) return document;
    throw explainResponse(base + path, response, text);
  };

  const needs = ["url", "redirects"];
  return [
    { name: "url", run: checkUrl },
    { name: "redirects", needs: ["url"], run: checkRedirects },
    { name: "challenge", needs, run: checkChallenge },
    { name: "metadata", needs, run: checkMetadata },
    { name: "headers", needs: [...needs, "challenge"], run: checkHeaders },
    { name: "streams", needs, run: checkStreams },
    ...(userAgents.length > 0 ? [{ name: "user-agents", needs: [...needs, "challenge"], run: checkUserAgents }] : []),
  ];

  async function checkUrl(): Promise<string> {
    const response = await send("/healthz");
    const text = await response.text();
    if (isRedirect(response) || parseObject(text)?.["status"] === "alive") return `${base} responds.`;
    throw explainResponse(`${base}/healthz`, response, text);
  }

  async function checkRedirects(): Promise<string> {
    for (const [path, request] of [
      ["/healthz", send],
      [resourcePath, send],
      ["/mcp", () => callMcp()],
    ] as const) {
      const response = await request(path);
      if (isRedirect(response)) throw explainResponse(base + path, response, "");
    }
    return "No request is redirected.";
  }

  async function checkChallenge(): Promise<string> {
    const response = await callMcp();
    const challenge = response.headers.get("www-authenticate");
    if (response.status !== 401 || /^(basic|digest|negotiate)/i.test(challenge ?? ""))
      throw explainResponse(`${base}/mcp`, response, await response.text());
    if (challenge === null)
      throw new CheckError(
        "The proxy removes the WWW-Authenticate header, so clients cannot find the sign-in.",
        "Remove the proxy’s rule that hides or replaces this header, such as proxy_hide_header or error_page for 401.",
      );
    if (challenge.includes(`resource_metadata="${base}${challengePath}"`))
      return "A request without a token gets 401 with WWW-Authenticate.";
    throw otherBase(base, /resource_metadata="([^"]*)\/\.well-known/.exec(challenge)?.[1] ?? challenge);
  }

  async function checkMetadata(): Promise<string> {
    const resource = await readJson(resourcePath);
    const server = await readJson(serverPath);
    const [issuer] = [resource["authorization_servers"]].flat();
    const pairs = [
      [resource["resource"], `${base}/mcp`],
      [issuer, base],
      [server["issuer"], base],
    ];
    for (const [actual, expected] of pairs) if (actual !== expected) throw otherBase(base, String(actual));
    const keysUrl = String(server["jwks_uri"]);
    if (!keysUrl.startsWith(`${base}/`)) throw otherBase(base, keysUrl);
    await readJson(keysUrl.slice(base.length));
    return "The metadata documents, their issuer and the keys match the URL.";
  }

  async function checkHeaders(): Promise<string> {
    const response = await callMcp({ authorization: checkedHeaders["authorization"] ?? "" });
    if (response.status !== 401) throw explainResponse(`${base}/mcp`, response, await response.text());
    const hasToken = response.headers.get("www-authenticate")?.includes('error="invalid_token"') === true;
    const arrived = /^event: headers\ndata: (.*)$/m.exec(await readStream())?.[1] ?? "[]";
    const missing = Object.keys(checkedHeaders).filter((name) => !(JSON.parse(arrived) as string[]).includes(name));
    if (hasToken && missing.length === 0) return "Authorization and the headers of MCP arrive.";
    throw new CheckError(
      `The proxy removes request headers: ${(hasToken ? missing : ["authorization"]).join(", ")}.`,
      "Remove the proxy’s rules for these headers, such as proxy_set_header with an empty value, and let all headers through.",
    );
  }

  async function checkStreams(): Promise<string> {
    if (!(await readStream()).includes(`event: ${streamEvents.last}\n`))
      return "Event streams arrive without buffering.";
    throw new CheckError(
      "The proxy buffers event streams: events arrive only when the stream ends, so clients time out.",
      "Turn off response buffering, such as proxy_buffering off in nginx, and compression and caching of text/event-stream.",
    );
  }

  /** Reads until the first event is complete. */
  async function readStream(): Promise<string> {
    const headers = { ...checkedHeaders, accept: "text/event-stream" };
    const response = await send(connectionCheckPath, { method: "POST", headers });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (response.status !== 200 || !isStream || !response.body)
      throw explainResponse(base + connectionCheckPath, response, await response.text());
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("\n\n") && text.length < maxStreamLength) {
      const { value, done } = await reader.read().catch((error: unknown) => {
        throw options.explainNoResponse(error);
      });
      if (done) break;
      text += value;
    }
    await reader.cancel().catch(() => {});
    return text;
  }

  async function checkUserAgents(): Promise<string> {
    for (const userAgent of userAgents) {
      const response = await callMcp({ "user-agent": userAgent });
      await response.body?.cancel();
      if (response.status === 401 && response.headers.has("www-authenticate")) continue;
      throw new CheckError(
        `A request with ${userAgent === "" ? "an empty user agent" : `the user agent ${userAgent}`} gets ${describeSource(response)} instead of 401.`,
        "Turn off the bot filter of the proxy or CDN for this host name: AI clients send such requests from the servers of their vendor.",
      );
    }
    return "Clients get the same response whatever their user agent is.";
  }
}

const otherBase = (base: string, actual: string): CheckError =>
  new CheckError(
    `The running server says that its URL is ${actual.slice(0, 200)}, but clients use ${base}.`,
    "Set BASE_URL to the URL that clients use, and restart the server. The proxy must not rewrite responses.",
  );

/** In a browser, the status of a redirect is not readable. */
const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const describeSource = ({ status, headers }: Response): string =>
  [status, headers.get("server") && `from ${headers.get("server")}`].filter(Boolean).join(" ");

/** The most probable cause of a response that Atelier does not send. */
function explainResponse(url: string, response: Response, text: string): CheckError {
  const { status, headers } = response;
  const source = describeSource(response);
  if (isRedirect(response))
    return new CheckError(
      `${url} redirects to ${headers.get("location") ?? "another URL"}; clients lose their request or their token on the way.`,
      "Set BASE_URL to the URL to which it redirects, or remove the redirect, also for paths below /mcp and /.well-known/.",
    );
  if (text.includes("does not serve that host name"))
    return new CheckError(
      "The proxy does not pass on the Host header.",
      "Pass it unchanged, such as proxy_set_header Host $host in nginx, and set BASE_URL to the host name that clients use.",
    );
  if (status === 401)
    return new CheckError(
      `The proxy asks for a password of its own at ${url} (${source}).`,
      "Turn off the proxy’s authentication for this host name: clients sign in at Atelier.",
    );
  if (status === 502 || status === 503 || status === 504)
    return new CheckError(
      `The proxy responds, but does not reach the server (${source}).`,
      "Start the server, and make the proxy forward to its HOST and PORT.",
    );
  if (status === 403 || status === 405 || status === 429)
    return new CheckError(
      `${headers.has("cf-mitigated") ? "A bot filter of Cloudflare" : "The proxy"} rejects requests to ${url} (${source}).`,
      "Allow all methods and clients for this host name: a firewall rule, bot protection or a rate limit rejects them.",
    );
  return new CheckError(
    `${url} responds with ${source}, but not with what Atelier sends.`,
    "Make the proxy forward every path of the host name to Atelier unchanged, also those below /mcp and /.well-known/.",
  );
}
