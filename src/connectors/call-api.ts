import { PlatformError } from "#domain/platforms/platform-error.ts";
import { parseJson } from "#lib/parse-json.ts";
import { PublicFetchError, type PublicFetch } from "#lib/public-fetch.ts";
import type { ApiCall, JsonObject } from "./platform.ts";

/** For reading answers of a platform without trusting their shape: what is not as expected reads as nothing. */

export function toObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function toObjectList(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

/** Text that is not empty; a number as text, since some platforms spell ids that way. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The same, where nothing goes on without it. */
export function requireText(value: unknown, fieldName: string): string {
  const text = toText(value);
  if (text === undefined) throw new Error(`the answer has no ${fieldName}`);
  return text;
}

/** Meta's Graph API says by a number that a token has expired, was revoked, or is otherwise invalid. */
export function readGraphErrorCode(body: JsonObject): "invalid_grant" | undefined {
  return toObject(body["error"])["code"] === 190 ? "invalid_grant" : undefined;
}

/** Sends one call and reads its answer. What the platform wrote goes no further than this. */
export async function callApi(publicFetch: PublicFetch, call: ApiCall): Promise<JsonObject> {
  const response = await sendCall(publicFetch, call);
  const { status } = response;
  if (status === 400 || status === 401 || status === 403) throw new PlatformError("refused", `it answered ${status}`);
  if (status < 200 || status > 299) throw new PlatformError("unreachable", `it answered with status ${status}`);
  return readObject(response);
}

export function sendCall(
  publicFetch: PublicFetch,
  { method, url, bearer, query, form, headers }: ApiCall,
): Promise<Response> {
  const requestUrl = new URL(url);
  for (const [name, value] of Object.entries(query ?? {})) requestUrl.searchParams.set(name, value);
  return withPlatformErrors(
    publicFetch(requestUrl.href, {
      method,
      headers: {
        accept: "application/json",
        ...headers,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      },
      body: form && new URLSearchParams(form).toString(),
    }),
  );
}

/** An empty answer is an empty object: some platforms answer a revocation so. */
export async function readObject(response: Response): Promise<JsonObject> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  try {
    return bytes.length === 0 ? {} : toObject(parseJson(bytes));
  } catch {
    throw new PlatformError("unreachable", "its answer cannot be understood");
  }
}

/** However the way there failed, it is said in our words. */
export async function withPlatformErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    if (error instanceof PublicFetchError)
      throw new PlatformError(error.isBlocked ? "blocked" : "unreachable", error.message);
    throw new PlatformError("unreachable", "it did not answer in time, or not at all");
  }
}
