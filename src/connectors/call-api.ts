import { PlatformError } from "#domain/model/platform-error.ts";
import { parseJson, type JsonReviver } from "#lib/parse-json.ts";
import { PublicFetchError, type PublicFetch, type PublicFetchRequest } from "#lib/public-fetch.ts";
import type { ApiCall, JsonObject } from "./platform.ts";

// Reads platform responses without trusting their shape (`to…`: unexpected values become empty; `require…`: they throw),
// and sends the calls.

export function toObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function toObjectList(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

/** Returns non-empty text. Converts integers, which some platforms use for ids. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Like `toText`, but throws if there is no text. */
export function requireText(value: unknown, fieldName: string): string {
  const text = toText(value);
  if (text === undefined) throw new Error(`the response has no ${fieldName}`);
  return text;
}

/** No platform has longer ids, and databases can't index much longer ones. */
const maxIdLength = 300;

/** Returns an id. Throws if there is none that can be stored: a shortened or cleaned id would be another id. */
export function requireId(value: unknown, fieldName = "id"): string {
  const id = requireText(value, fieldName);
  if (id.length > maxIdLength || /[\p{Cc}\p{Cs}]/u.test(id))
    throw new Error(`the response has an invalid ${fieldName}`);
  return id;
}

const maxUrlLength = 2000;

/** Returns an http(s) URL that can be stored and linked to; null for anything else. */
export function toUrl(value: unknown): string | null {
  const url = typeof value === "string" && value.length <= maxUrlLength ? URL.parse(value) : null;
  return url && /^https?:$/.test(url.protocol) && url.href.length <= maxUrlLength ? url.href : null;
}

/** No call whose list is parsed here asks for more. A server may return thousands, which we would store, look up and compare with each other. */
const maxListItems = 40;

/** Parses the first objects of a list, and leaves out those that can't be parsed. */
export function parseList<T>(value: unknown, parse: (item: JsonObject) => T): T[] {
  return toObjectList(value)
    .slice(0, maxListItems)
    .flatMap((item) => {
      try {
        return [parse(item)];
      } catch {
        return [];
      }
    });
}

/** Sends one call and returns the response body. Errors never contain text from the platform. */
export async function callApi(publicFetch: PublicFetch, call: ApiCall): Promise<JsonObject> {
  const response = await sendCall(publicFetch, call);
  const { status } = response;
  if (status === 400 || status === 401 || status === 403)
    throw new PlatformError("rejected", `it responded with status ${status}`);
  if (status < 200 || status > 299) throw new PlatformError("unavailable", `it responded with status ${status}`);
  return readObject(response);
}

/** What a call adds to its `ApiCall`, such as the body of a media upload and its timeout. */
export type CallOptions = Pick<PublicFetchRequest, "body" | "headers" | "timeoutMs" | "signal">;

export function sendCall(publicFetch: PublicFetch, call: ApiCall, options: CallOptions = {}): Promise<Response> {
  const { url, request } = buildRequest(call, options);
  return withPlatformErrors(publicFetch(url, request));
}

export function buildRequest(
  { method, url, bearer, query, form, json, headers, timeoutMs }: ApiCall,
  options: CallOptions = {},
): { url: string; request: PublicFetchRequest } {
  const requestUrl = new URL(url);
  for (const [name, value] of Object.entries(query ?? {})) requestUrl.searchParams.set(name, value);
  return {
    url: requestUrl.href,
    request: {
      method,
      headers: {
        accept: "application/json",
        ...headers,
        ...options.headers,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      body: options.body ?? (json ? JSON.stringify(json) : form && new URLSearchParams(form).toString()),
      timeoutMs: options.timeoutMs ?? timeoutMs,
      signal: options.signal,
    },
  };
}

/** More than any response needs that fits the limit of bytes. Parsing more would take up to 90 ms. */
const maxResponseValues = 20_000;

/**
 * Reads a JSON object. Some platforms respond to a revocation with an empty body, which becomes an empty object. An array
 * becomes an object with `items`.
 */
export async function readObject(response: Response): Promise<JsonObject> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  try {
    const body = bytes.length === 0 ? {} : parseJson(bytes, { reviver: keepInt64, maxValues: maxResponseValues });
    return Array.isArray(body) ? { items: body } : toObject(body);
  } catch {
    throw new PlatformError("unavailable", "it sent an invalid response");
  }
}

/** Keeps integers that a number can't represent as text: some platforms send ids of 64 bits. */
const keepInt64: JsonReviver = (_key, value, { source }) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d{1,20}$/.test(source ?? "") ? source : value;

/** Converts every failure to a PlatformError. */
export async function withPlatformErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    if (error instanceof PublicFetchError)
      throw new PlatformError(error.isBlocked ? "blocked" : "unavailable", error.message);
    throw new PlatformError("unavailable", "it couldn’t be reached or didn’t respond in time");
  }
}
