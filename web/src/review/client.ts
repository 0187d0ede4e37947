import type { hc, InferRequestType, InferResponseType } from "hono/client";
import type { ReviewApi } from "#http/reviews/api.ts";

type Routes = ReturnType<typeof hc<ReviewApi>>["api"]["reviews"];
export type Session = InferResponseType<Routes["session"]["$get"], 200>;
export type ReviewedPost = Session["posts"][number];
export type Account = ReviewedPost["accounts"][number];

/** The last path segment is the token. Requests send it in a header only. */
const token = location.pathname.split("/").at(-1) ?? "";

/** A response that says what went wrong, and what to do next. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function call(path: string, json?: object): Promise<unknown> {
  const response = await fetch(`/api/reviews/${path}`, {
    headers: { "review-token": token, ...(json && { "content-type": "application/json" }) },
    ...(json && { method: "POST", body: JSON.stringify(json) }),
  }).catch(() => undefined);
  if (!response) throw new ReviewError("offline", "");
  const body: unknown = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const { code = "", detail = "It failed.", hint = "" } = body as { code?: string; detail?: string; hint?: string };
  throw new ReviewError(code, `${detail} ${hint}`.trim());
}

export const readSession = () => call("session") as Promise<Session>;
export const sendDecision = (json: InferRequestType<Routes["decisions"]["$post"]>["json"]) => call("decisions", json);
export const sendComment = (json: InferRequestType<Routes["comments"]["$post"]>["json"]) => call("comments", json);
