import { hc, type ClientResponse } from "hono/client";
import type { Api } from "#http/api/api.ts";
import { readApiError, createUnreachableError } from "./api-error.ts";

/** The routes that read. */
type ReadRoutes<Routes> = {
  [Key in keyof Routes as Exclude<Key, `$${string}`> | Extract<Key, "$get">]: Key extends "$get"
    ? Routes[Key]
    : ReadRoutes<Routes[Key]>;
};

const { api: routes } = hc<Api>(location.origin);

/** A client for the API, typed by the server's routes. It only reads; for changes, see change.ts. */
export const api: ReadRoutes<typeof routes> = routes;

let hasRedirected = false;
/** Whether the page is being left for another one, such as the sign-in page, which needs no confirmation. */
export const isRedirecting = (): boolean => hasRedirected;

/** Navigates with a full page load. Never resolves, so that callers do not continue and buttons stay disabled. */
export function redirectTo(url: string): Promise<never> {
  hasRedirected = true;
  location.assign(url);
  return new Promise(() => {});
}

/** While the user signs out, a request that fails with 401 must not redirect: the sign-out does that itself. */
let isSigningOut = false;

/** Redirects to the sign-in page, which returns the user to the current page. */
export function redirectToSignIn(): Promise<never> {
  if (isSigningOut) return new Promise(() => {});
  const currentPath = `${location.pathname}${location.search}${location.hash}`;
  return redirectTo(`/login?${new URLSearchParams({ return_to: currentPath }).toString()}`);
}

/** Returns a successful response; throws an `ApiError` if the request failed. */
export async function checkResponse<R extends Pick<Response, "ok" | "status">>(request: Promise<R>): Promise<R> {
  const response = await request.catch(() => {
    throw createUnreachableError();
  });
  if (response.status === 401) return redirectToSignIn();
  if (!response.ok && response.status !== 304) throw await readApiError(response as unknown as Response);
  return response;
}

/** Returns the response body; throws an `ApiError` if the request failed. */
export async function fetchJson<T>(request: Promise<ClientResponse<T, number, "json">>): Promise<T> {
  return (await checkResponse(request)).json();
}

/** The ETag of each response body. Weak, so that an ETag is dropped together with its body. */
const etags = new WeakMap<object, string>();

/** Sends a conditional request; returns `cached` if the server responds with 304 Not Modified. */
export async function fetchJsonIfChanged<T extends object>(
  cached: T | undefined,
  request: (options: { headers: Record<string, string> }) => Promise<ClientResponse<T, number, "json">>,
): Promise<T> {
  const cachedEtag = cached && etags.get(cached);
  const response = await checkResponse(
    request({ headers: cachedEtag === undefined ? {} : { "if-none-match": cachedEtag } }),
  );
  if (cached && response.status === 304) return cached;
  const body = (await response.json()) as T;
  const etag = response.headers.get("etag");
  if (etag !== null) etags.set(body, etag);
  return body;
}

/** How long `data-signed-out` is valid: while the page loads. Later, the user may have signed in in another tab. */
const markLifetimeMs = 10_000;

/** The server marks the page if the browser sent no session cookie. */
export const isMarkedSignedOut = (): boolean =>
  performance.now() < markLifetimeMs && document.querySelector("#app[data-signed-out]") !== null;

/** Returns the signed-in user, or null if there is no session. */
export async function fetchMe() {
  if (isMarkedSignedOut()) return null;
  const response = await api.me.$get().catch(() => {
    throw createUnreachableError();
  });
  // Authentication runs before the route, so the route's response type does not include 401.
  const { status, ok } = response as Pick<Response, "status" | "ok">;
  if (status === 401) return null;
  if (!ok) throw await readApiError(response);
  return response.json();
}

/** Ends the session. Resolves if it has already ended. */
export async function signOut(): Promise<void> {
  isSigningOut = true;
  try {
    const response = await fetch("/api/sign-out", { method: "POST" });
    if (!response.ok && response.status !== 401) throw await readApiError(response);
  } catch (error) {
    isSigningOut = false;
    throw error;
  }
}
