import { lookup as systemLookup } from "node:dns/promises";
import { request, type RequestOptions } from "node:https";
import type { IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { createPublicAddressCheck } from "./public-address.ts";

export interface PublicFetchOptions {
  timeoutMs: number;
  maxBytes: number;
  /** Tests bring their own names and certificates; the rule about addresses is theirs to loosen, never a caller's. */
  resolve?: (host: string) => Promise<readonly string[]>;
  isAllowed?: (address: string) => boolean;
  tls?: Pick<RequestOptions, "ca">;
}

/** The address may not be fetched, or did not answer as it should. */
export class PublicFetchError extends Error {
  override readonly name = "PublicFetchError";
  readonly blocked: boolean;

  constructor(message: string, blocked: boolean) {
    super(message);
    this.blocked = blocked;
  }
}

/**
 * GET of a stranger's address: https only, to a public address that is checked after DNS and then pinned, so that
 * no second look-up can lead elsewhere. Follows no redirect, and is bounded in time and size.
 */
export function createPublicFetch(options: PublicFetchOptions): (url: string) => Promise<Response> {
  const isAllowed = options.isAllowed ?? createPublicAddressCheck();
  const resolve = options.resolve ?? resolveAll;
  return async (address) => {
    const url = new URL(address);
    if (url.protocol !== "https:" || url.username !== "" || url.password !== "")
      throw new PublicFetchError("only plain https addresses are fetched", true);
    const signal = AbortSignal.timeout(options.timeoutMs);
    const pinned = await within(signal, pickAddress(url.hostname, resolve, isAllowed));
    const message = await get(url, pinned, signal, options.tls);
    const body = await collect(message, options.maxBytes);
    const headers = Object.entries(message.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    return new Response(body.length === 0 ? null : body, { status: message.statusCode ?? 502, headers });
  };
}

async function pickAddress(
  hostname: string,
  resolve: (host: string) => Promise<readonly string[]>,
  isAllowed: (address: string) => boolean,
): Promise<string> {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(bare) ? [bare] : await resolve(bare);
  // One private address among public ones is an attempt, not a mistake: none is used.
  const [first] = addresses;
  if (first === undefined || !addresses.every(isAllowed))
    throw new PublicFetchError("the address is not a public one", true);
  return first;
}

async function resolveAll(host: string): Promise<string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address);
}

function get(url: URL, pinned: string, signal: AbortSignal, tls: PublicFetchOptions["tls"]): Promise<IncomingMessage> {
  const family = isIP(pinned);
  const lookup: LookupFunction = (_host, { all }, done) =>
    all ? done(null, [{ address: pinned, family }]) : done(null, pinned, family);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { ...tls, lookup, signal, agent: false, headers: { accept: "application/json", "accept-encoding": "identity" } },
      resolve,
    );
    outgoing.on("error", () =>
      reject(new PublicFetchError("the address did not answer in time, or not at all", false)),
    );
    outgoing.end();
  });
}

async function collect(message: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new PublicFetchError("the answer is too large", false);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof PublicFetchError ? error : new PublicFetchError("the answer broke off", false);
  } finally {
    message.destroy();
  }
  return Buffer.concat(chunks);
}

function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener(
      "abort",
      () => reject(new PublicFetchError("the name could not be looked up in time", false)),
      { once: true },
    );
    work.then(resolve, (error: unknown) =>
      reject(
        error instanceof PublicFetchError ? error : new PublicFetchError("the name could not be looked up", false),
      ),
    );
  });
}
