import { request, type RequestOptions } from "node:https";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { isPublicAddress } from "./ip-address.ts";
import { createNameResolver, NameResolutionError, type ResolveName } from "./resolve-name.ts";

/** Tests bring their own names and certificates; the rule about addresses is theirs to loosen, never a caller's. */
export interface PublicHostOptions {
  resolve?: ResolveName;
  isAllowed?: (address: string) => boolean;
  tls?: Pick<RequestOptions, "ca">;
}

export interface PublicUrlOpenerOptions extends PublicHostOptions {
  /** Until the answer begins, for each address on the way, and between any two pieces of its body. */
  timeoutMs: number;
  maxRedirects: number;
  accept: string;
}

export interface PublicFetchOptions extends PublicHostOptions {
  timeoutMs: number;
  maxBytes: number;
}

/** The address may not be fetched, or did not answer as it should. */
export class PublicFetchError extends Error {
  override readonly name = "PublicFetchError";
  readonly isBlocked: boolean;

  constructor(message: string, isBlocked: boolean) {
    super(message);
    this.isBlocked = isBlocked;
  }
}

export interface PublicResponse {
  /** Where the answer came from, after redirects. */
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  /** Nothing is read before it is asked for. Destroy it when no more is wanted. */
  body: Readable;
}

/** A GET with nothing of its own, unless more is said. */
export interface PublicRequest {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
}

export type PublicUrlOpener = (
  address: string,
  signal: AbortSignal,
  request?: PublicRequest,
) => Promise<PublicResponse>;
export type PublicFetch = (address: string, request?: PublicRequest) => Promise<Response>;

/**
 * A request to a stranger's address: https only, to a public address that is checked after DNS and then pinned, so that
 * no second look-up can lead elsewhere; on every redirect anew.
 */
export function createPublicUrlOpener(options: PublicUrlOpenerOptions): PublicUrlOpener {
  const isAllowed = options.isAllowed ?? isPublicAddress;
  const resolve = options.resolve ?? createNameResolver();

  async function openOnce(url: URL, signal: AbortSignal, init: PublicRequest): Promise<IncomingMessage> {
    if (url.protocol !== "https:" || url.username !== "" || url.password !== "")
      throw new PublicFetchError("only plain https addresses are fetched", true);
    const pinnedAddress = await withTimeout(options.timeoutMs, signal, (abortSignal) =>
      pickAddresses(url.hostname, abortSignal, resolve, isAllowed),
    );
    return withTimeout(options.timeoutMs, signal, (abortSignal) =>
      sendRequest(url, pinnedAddress, abortSignal, options, init),
    );
  }

  return async (address, signal, init = {}) => {
    let url = parsePublicUrl(address);
    for (let redirects = 0; ; redirects++) {
      const message = await openOnce(url, signal, init);
      const next = getRedirectLocation(message);
      if (next === undefined || options.maxRedirects === 0) {
        signal.addEventListener("abort", () => message.destroy(connectionLostError()), { once: true });
        message.socket.setTimeout(options.timeoutMs, () => message.destroy(connectionLostError()));
        return { url, status: message.statusCode ?? 502, headers: message.headers, body: message };
      }
      message.destroy();
      if (redirects >= options.maxRedirects) throw new PublicFetchError("too many redirects", false);
      url = parsePublicUrl(next, url);
    }
  };
}

/** The same for a small document: collected whole, bounded in time and size. Follows no redirect. */
export function createPublicFetch(options: PublicFetchOptions): PublicFetch {
  const { timeoutMs, maxBytes, ...hostOptions } = options;
  const openUrl = createPublicUrlOpener({
    ...hostOptions,
    timeoutMs,
    maxRedirects: 0,
    accept: "application/json",
  });
  return async (address, init) => {
    const { status, headers: responseHeaders, body } = await openUrl(address, AbortSignal.timeout(timeoutMs), init);
    const content = await readBody(body, maxBytes);
    const headers = Object.entries(responseHeaders).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    return new Response(content.length === 0 ? null : content, { status, headers });
  };
}

const connectionLostError = (): PublicFetchError => new PublicFetchError("the answer broke off", false);

function parsePublicUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (!url) throw new PublicFetchError("it is no address", true);
  return url;
}

function getRedirectLocation({ statusCode = 0, headers: { location } }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? location : undefined;
}

/** A name with more addresses than this per family is tried at the first ones only. */
const maxPinnedPerFamily = 2;

/** Returns the IP addresses to connect to, IPv4 first; every one of them has passed the check. */
async function pickAddresses(
  hostname: string,
  abortSignal: AbortSignal,
  resolve: ResolveName,
  isAllowed: (address: string) => boolean,
): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) ? [host] : await resolvePublicName(host, abortSignal, resolve);
  // One private address among public ones is an attempt, not a mistake: none is used.
  if (addresses.length === 0 || !addresses.every(isAllowed))
    throw new PublicFetchError("the address is not a public one", true);
  return [4, 6].flatMap((family) => addresses.filter((one) => isIP(one) === family).slice(0, maxPinnedPerFamily));
}

async function resolvePublicName(
  host: string,
  abortSignal: AbortSignal,
  resolve: ResolveName,
): Promise<readonly string[]> {
  // Public names have a dot; `localhost` and its subdomains are this machine (RFC 6761 §6.3).
  if (!/[^.]\.[^.]+\.?$/.test(host) || /\.localhost\.?$/.test(host))
    throw new PublicFetchError("the address is not a public one", true);
  try {
    return await resolve(host, abortSignal);
  } catch (error) {
    throw error instanceof NameResolutionError ? new PublicFetchError(error.message, false) : error;
  }
}

/** How long one IP address gets to accept the connection while others are left to try. */
const connectAttemptMs = 1000;

function sendRequest(
  url: URL,
  pinnedAddress: readonly string[],
  abortSignal: AbortSignal,
  { tls, accept }: Pick<PublicUrlOpenerOptions, "tls" | "accept">,
  { method = "GET", headers: extraHeaders, body }: PublicRequest,
): Promise<IncomingMessage> {
  const addresses = pinnedAddress.map((address) => ({ address, family: isIP(address) }));
  // Happy Eyeballs (RFC 8305) over the checked IP addresses alone; Node asks for `all` with `autoSelectFamily`.
  const lookup: LookupFunction = (_host, _options, done) => done(null, addresses);
  const dialing = { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: connectAttemptMs };
  const headers = {
    accept,
    ...extraHeaders,
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    "accept-encoding": "identity",
    "user-agent": "Atelier",
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...tls, ...dialing, method, agent: false, headers }, resolve);
    outgoing.on("error", reject);
    abortSignal.addEventListener("abort", () => outgoing.destroy(new Error("too late")), { once: true });
    outgoing.end(body);
  });
}

async function readBody(body: Readable, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new PublicFetchError("the answer is too large", false);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof PublicFetchError ? error : connectionLostError();
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks);
}

/** Gives work so long, and tells it when the time is up; what it fails with says no more than that it failed. */
async function withTimeout<T>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await new Promise<T>((resolve, reject) => {
      controller.signal.addEventListener("abort", () => reject(new Error("too late")), { once: true });
      work(controller.signal).then(resolve, reject);
    });
  } catch (error) {
    if (error instanceof PublicFetchError) throw error;
    throw new PublicFetchError("the address did not answer in time, or not at all", false);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
