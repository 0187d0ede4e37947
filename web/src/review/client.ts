import { hc, type ClientResponse } from "hono/client";
import type { ReviewApi } from "#http/reviews/api.ts";

const { api } = hc<ReviewApi>(location.origin);

/** The last path segment is the token. Requests send it in a header only. */
const header = { "review-token": location.pathname.split("/").at(-1) ?? "" };

/** A response that says what went wrong, and what to do next. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function read<T>(request: Promise<ClientResponse<T>>): Promise<T> {
  const response = await request.catch(() => undefined);
  if (!response)
    throw new ReviewError("offline", "The server can’t be reached. Check your connection, then try again.");
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string; hint?: string };
  throw new ReviewError(problem.code ?? "", [problem.detail ?? "It failed.", problem.hint].filter(Boolean).join(" "));
}

// `hc` types the headers by the validators of a route, which has none for this one.
const headers = { headers: header } as const;

export const readSession = () => read(api.reviews.session.$get({}, headers));
export const sendDecision = (json: Parameters<typeof api.reviews.decisions.$post>[0]["json"]) =>
  read(api.reviews.decisions.$post({ json }, headers));
export const sendComment = (json: Parameters<typeof api.reviews.comments.$post>[0]["json"]) =>
  read(api.reviews.comments.$post({ json }, headers));

export type Session = Awaited<ReturnType<typeof readSession>>;
export type ReviewedPost = Session["posts"][number];
export type Account = ReviewedPost["accounts"][number];
