import { PlatformFailure } from "#domain/platforms/failure.ts";
import { parseJson } from "#lib/json.ts";
import { PublicFetchError, type PublicFetch } from "#lib/public-fetch.ts";
import type { ApiCall, JsonObject } from "./platform.ts";
import { objectIn } from "./read-json.ts";

/** Sends one call and reads its answer. What the platform wrote goes no further than this. */
export async function callApi(reach: PublicFetch, call: ApiCall): Promise<JsonObject> {
  const response = await sendCall(reach, call);
  const { status } = response;
  if (status === 400 || status === 401 || status === 403) throw new PlatformFailure("refused", `it answered ${status}`);
  if (status < 200 || status > 299) throw new PlatformFailure("unreachable", `it answered with status ${status}`);
  return readObject(response);
}

export function sendCall(
  reach: PublicFetch,
  { method, url, bearer, query, form, headers }: ApiCall,
): Promise<Response> {
  const address = new URL(url);
  for (const [name, value] of Object.entries(query ?? {})) address.searchParams.set(name, value);
  return reached(
    reach(address.href, {
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
    return bytes.length === 0 ? {} : objectIn(parseJson(bytes));
  } catch {
    throw new PlatformFailure("unreachable", "its answer cannot be understood");
  }
}

/** However the way there failed, it is said in our words. */
export async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PlatformFailure) throw error;
    if (error instanceof PublicFetchError)
      throw new PlatformFailure(error.blocked ? "blocked" : "unreachable", error.message);
    throw new PlatformFailure("unreachable", "it did not answer in time, or not at all");
  }
}
