import { hc, type ClientResponse } from "hono/client";
import type { Api } from "#http/api/api.ts";
import { readApiError, createUnreachableError } from "./api-error.ts";

/** Every route of the server, by its own types. */
export const { api } = hc<Api>(location.origin);

/** Sends a person without a session to the sign-in page, from which they return to where they are. */
export function redirectToSignIn(): Promise<never> {
  const currentPath = `${location.pathname}${location.search}${location.hash}`;
  location.assign(`/login?${new URLSearchParams({ return_to: currentPath }).toString()}`);
  // The page is being left: nothing that waits for an answer should go on.
  return new Promise(() => {});
}

async function checkResponse<R extends Pick<Response, "ok" | "status">>(request: Promise<R>): Promise<R> {
  const response = await request.catch(() => {
    throw createUnreachableError();
  });
  if (response.status === 401) return redirectToSignIn();
  if (!response.ok && response.status !== 304) throw await readApiError(response as unknown as Response);
  return response;
}

/** The answer of a call. Throws what the server says went wrong. */
export async function fetchJson<T>(request: Promise<ClientResponse<T, number, "json">>): Promise<T> {
  return (await checkResponse(request)).json();
}

/** A change whose answer says nothing more. */
export async function sendRequest(request: Promise<Pick<Response, "ok" | "status">>): Promise<void> {
  await checkResponse(request);
}

/** What each answer was tagged with, for as long as someone holds on to the answer. */
const etags = new WeakMap<object, string>();

/** Asks again only for what changed: the answer in hand is kept where the server says it still is true (304). */
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

/** The signed-in person; null when nobody is. */
export async function fetchMe() {
  const response = await api.me.$get().catch(() => {
    throw createUnreachableError();
  });
  // The types know only what the route answers; the door before it refuses whoever has no session.
  const { status, ok } = response as Pick<Response, "status" | "ok">;
  if (status === 401) return null;
  if (!ok) throw await readApiError(response);
  return response.json();
}

export const signOut = (): Promise<void> => sendRequest(fetch("/api/sign-out", { method: "POST" }));
