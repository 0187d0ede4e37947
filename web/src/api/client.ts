import { hc, type ClientResponse } from "hono/client";
import type { Api } from "#http/api/app.ts";
import { readProblem, unreachable } from "./failure.ts";

/** Every route of the server, by its own types. */
export const { api } = hc<Api>(location.origin);

/** Sends a person without a session to the sign-in page, from which they return to where they are. */
export function goToSignIn(): Promise<never> {
  const here = `${location.pathname}${location.search}${location.hash}`;
  location.assign(`/login?${new URLSearchParams({ return_to: here }).toString()}`);
  // The page is being left: nothing that waits for an answer should go on.
  return new Promise(() => {});
}

async function settle<R extends Pick<Response, "ok" | "status">>(request: Promise<R>): Promise<R> {
  const response = await request.catch(() => {
    throw unreachable();
  });
  if (response.status === 401) return goToSignIn();
  if (!response.ok && response.status !== 304) throw await readProblem(response as unknown as Response);
  return response;
}

/** The answer of a call. Throws what the server says went wrong. */
export async function ask<T>(request: Promise<ClientResponse<T, number, "json">>): Promise<T> {
  return (await settle(request)).json();
}

/** A change whose answer says nothing more. */
export async function tell(request: Promise<Pick<Response, "ok" | "status">>): Promise<void> {
  await settle(request);
}

/** What each answer was tagged with, for as long as someone holds on to the answer. */
const tags = new WeakMap<object, string>();

/** Asks again only for what changed: the answer in hand is kept where the server says it still is true (304). */
export async function askAgain<T extends object>(
  known: T | undefined,
  request: (options: { headers: Record<string, string> }) => Promise<ClientResponse<T, number, "json">>,
): Promise<T> {
  const tag = known && tags.get(known);
  const response = await settle(request({ headers: tag === undefined ? {} : { "if-none-match": tag } }));
  if (known && response.status === 304) return known;
  const answer = (await response.json()) as T;
  const fresh = response.headers.get("etag");
  if (fresh !== null) tags.set(answer, fresh);
  return answer;
}

/** The signed-in person; null when nobody is. */
export async function fetchMe() {
  const response = await api.me.$get().catch(() => {
    throw unreachable();
  });
  // The types know only what the route answers; the door before it refuses whoever has no session.
  const { status, ok } = response as Pick<Response, "status" | "ok">;
  if (status === 401) return null;
  if (!ok) throw await readProblem(response);
  return response.json();
}

export const signOut = (): Promise<void> => tell(fetch("/api/sign-out", { method: "POST" }));
