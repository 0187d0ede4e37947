import { request as requestHttp, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as requestHttps, type RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, Readable } from "node:stream";
import { DEFAULT_CIPHERS } from "node:tls";
import { abortCostlyResponse } from "./costly-responses.ts";
import { isPublicAddress } from "./ip-address.ts";
import { getHostAndPort, pickPrivateAddresses, pickPublicAddresses, PublicFetchError } from "./pick-addresses.ts";
import { createNameResolver, type ResolveName } from "./resolve-name.ts";

/** Overrides for tests: name resolution, the check of IP addresses, and certificates. */
export interface PublicHostOptions {
  resolve?: ResolveName;
  isAllowed?: (address: string) => boolean;
  tls?: Pick<RequestOptions, "ca">;
}

interface PublicFetchOptions extends PublicHostOptions {
  /** Limits each name lookup, each wait for a response (one per redirect), and each pause within the body. */
  timeoutMs: number;
  /** Hosts that the operator listed as `host:port`. They may have private IP addresses. */
  privateHosts?: ReadonlySet<string> | undefined;
}

type PublicUrlOpenerOptions = PublicFetchOptions & { maxRedirects: number; accept: string };

export { PublicFetchError };

export interface PublicResponse {
  /** The URL of the response, after redirects. */
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  /** Read on demand. The caller must destroy the stream when it is no longer needed. */
  body: Readable;
}

/** Defaults to a GET without extra headers. */
export interface PublicRequest {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | StreamedBody | undefined;
  /** Replaces the timeout of the options, for large bodies. */
  timeoutMs?: number | undefined;
}

export interface PublicFetchRequest extends PublicRequest {
  /** Cancels the request before its timeout. */
  signal?: AbortSignal | undefined;
}

/** A body that does not have to fit in memory. */
export interface StreamedBody {
  bytes: number;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

export type PublicUrlOpener = (url: string, signal: AbortSignal, request?: PublicRequest) => Promise<PublicResponse>;
export type PublicUrlCheck = (url: string, signal: AbortSignal) => Promise<void>;
export type PublicFetch = (url: string, request?: PublicFetchRequest) => Promise<Response>;

/**
 * Sends requests to untrusted URLs. Allows only https to public IP addresses, and to the private hosts that the operator
 * listed. Each request, even after a redirect, resolves the name once, checks the IP addresses and pins them, so that a
 * second DNS lookup cannot lead to another host (DNS rebinding).
 */
export function createPublicUrlOpener(options: PublicUrlOpenerOptions): PublicUrlOpener {
  const pinAddresses = createAddressPinner(options);

  async function openOnce(url: URL, signal: AbortSignal, init: PublicRequest): Promise<IncomingMessage> {
    const pinnedAddresses = await pinAddresses(url, signal);
    return withTimeout(init.timeoutMs ?? options.timeoutMs, signal, (abortSignal) =>
      sendRequest(url, pinnedAddresses, abortSignal, options, init),
    );
  }

  return async (requestUrl, signal, init = {}) => {
    let url = parsePublicUrl(requestUrl);
    for (let redirects = 0; ; redirects++) {
      const message = await openOnce(url, signal, init);
      const redirectLocation = getRedirectLocation(message);
      if (redirectLocation === undefined || options.maxRedirects === 0) {
        signal.addEventListener("abort", () => message.destroy(connectionLostError()), { once: true });
        message.socket.setTimeout(options.timeoutMs, () => message.destroy(connectionLostError()));
        return { url, status: message.statusCode ?? 502, headers: message.headers, body: message };
      }
      message.destroy();
      if (redirects >= options.maxRedirects) throw new PublicFetchError("too many redirects", false);
      url = parsePublicUrl(redirectLocation, url);
    }
  };
}

/** Returns a function that checks a URL as `createPublicUrlOpener` does, without sending a request. */
export function createPublicUrlCheck(options: PublicFetchOptions): PublicUrlCheck {
  const pinAddresses = createAddressPinner(options);
  return async (url, signal) => void (await pinAddresses(parsePublicUrl(url), signal));
}

/** Returns a function that checks a URL, and the IP addresses that a request to it may connect to. */
function createAddressPinner(options: PublicFetchOptions): (url: URL, signal: AbortSignal) => Promise<string[]> {
  const isAllowed = options.isAllowed ?? isPublicAddress;
  const resolve = options.resolve ?? createNameResolver();
  return async (url, signal) => {
    const isListed = options.privateHosts?.has(getHostAndPort(url)) ?? false;
    const isPlainHttp = isListed && url.protocol === "http:";
    if ((url.protocol !== "https:" && !isPlainHttp) || url.username !== "" || url.password !== "")
      throw new PublicFetchError("only https URLs without credentials are allowed", true);
    return withTimeout(options.timeoutMs, signal, (abortSignal) =>
      isListed ? pickPrivateAddresses(url) : pickPublicAddresses(url.hostname, abortSignal, resolve, isAllowed),
    );
  };
}

/** Fetches a small document with the checks of `createPublicUrlOpener`. Limits time and size; follows no redirects. */
export function createPublicFetch({ maxBytes, ...options }: PublicFetchOptions & { maxBytes: number }): PublicFetch {
  const { timeoutMs } = options;
  const openUrl = createPublicUrlOpener({ ...options, maxRedirects: 0, accept: "application/json" });
  return async (url, init) => {
    const timeout = AbortSignal.timeout(init?.timeoutMs ?? timeoutMs);
    const signal = init?.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
    const { status, headers: responseHeaders, body } = await openUrl(url, signal, init);
    const content = await readBody(body, maxBytes, timeoutMs);
    const headers = Object.entries(responseHeaders).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    return new Response(content.length === 0 ? null : content, { status, headers });
  };
}

const connectionLostError = (): PublicFetchError => new PublicFetchError("the connection was lost", false);

function parsePublicUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url) throw new PublicFetchError("the URL is invalid", true);
  return url;
}

function getRedirectLocation({ statusCode = 0, headers: { location } }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? location : undefined;
}

/**
 * Without key exchanges over finite fields: in TLS 1.2 the server chooses their numbers, of up to 10,000 bits, and
 * computing with them blocks the event loop of all users.
 */
const ciphers = `${DEFAULT_CIPHERS}:!kDHE`;

/** How long to wait for one IP address to accept the connection before trying the next. */
const connectAttemptMs = 1000;

function sendRequest(
  url: URL,
  pinnedAddresses: readonly string[],
  abortSignal: AbortSignal,
  { tls, accept }: Pick<PublicUrlOpenerOptions, "tls" | "accept">,
  { method = "GET", headers: extraHeaders, body }: PublicRequest,
): Promise<IncomingMessage> {
  const addresses = pinnedAddresses.map((address) => ({ address, family: isIP(address) }));
  // Happy Eyeballs (RFC 8305) over the checked IP addresses only. With `autoSelectFamily`, Node expects all of them.
  const lookup: LookupFunction = (_host, _options, done) => done(null, addresses);
  const connectOptions = { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: connectAttemptMs };
  const headers = {
    accept,
    ...extraHeaders,
    ...(body === undefined ? {} : { "content-length": String(getBodyLength(body)) }),
    "accept-encoding": "identity",
    "user-agent": "Atelier",
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = request(url, { ...tls, ciphers, ...connectOptions, method, agent: false, headers }, resolve);
    abortCostlyResponse(outgoing);
    outgoing.on("error", reject);
    abortSignal.addEventListener("abort", () => outgoing.destroy(new Error("timed out")), { once: true });
    if (!isStreamed(body)) return outgoing.end(body);
    body.open().then(
      // An error of either stream destroys the request, and the request then reports the error.
      (content) => pipeline(Readable.from(abortWithoutProgress(content, outgoing)), outgoing, () => {}),
      (error: Error) => outgoing.destroy(error),
    );
  });
}

/** How long the other side may take to accept the next part of a streamed body, or to respond after the last part. */
const maxStallMs = 30_000;

/** Passes on the content, and aborts the request if the other side stops reading. */
async function* abortWithoutProgress(
  content: AsyncIterable<Uint8Array>,
  outgoing: ClientRequest,
): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  const restartTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => outgoing.destroy(new Error("no progress")), maxStallMs);
  };
  for (const event of ["response", "close"]) outgoing.once(event, () => clearTimeout(timer));
  restartTimer();
  for await (const chunk of content) {
    yield chunk;
    restartTimer();
  }
}

type RequestBody = NonNullable<PublicRequest["body"]>;

const isStreamed = (body: RequestBody | undefined): body is StreamedBody => typeof body === "object" && "open" in body;

const getBodyLength = (body: RequestBody): number => (isStreamed(body) ? body.bytes : Buffer.byteLength(body));

async function readBody(body: Readable, maxBytes: number, timeoutMs: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The whole request may take longer, if it has a large body.
  const timer = setTimeout(() => body.destroy(connectionLostError()), timeoutMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new PublicFetchError("the response is too large", false);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof PublicFetchError ? error : connectionLostError();
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  return Buffer.concat(chunks);
}

/** Aborts `work` after the timeout or with `signal`. Replaces its errors, which may reveal details of our network. */
async function withTimeout<T>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  const unreachableError = new PublicFetchError("the host couldn’t be reached or didn’t respond in time", false);
  if (signal.aborted) throw unreachableError;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      controller.signal.addEventListener("abort", () => reject(new Error("timed out")), { once: true });
      work(controller.signal).then(resolve, reject);
    });
  } catch (error) {
    throw error instanceof PublicFetchError ? error : unreachableError;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
