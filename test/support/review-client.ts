import assert from "node:assert/strict";
import type { ReviewSession } from "#domain/reviews/describe-review.ts";
import type { PublishingFixture } from "./publishing-fixture.ts";

export interface ReviewClient {
  id: string;
  url: string;
  call(method: string, path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }>;
  read(): Promise<ReviewSession>;
  /** Decides about what the guest sees now, or saw if `digest` is given. Returns the status or the error code. */
  decide(postId: string, decision: string, digest?: string): Promise<string>;
}

/** Calls the API of the review page with the token of a link. */
export function openReview(base: string, { id = "", url }: { id?: string; url: string }): ReviewClient {
  const token = url.split("/r/")[1] ?? "";
  const call: ReviewClient["call"] = async (method, path, body) => {
    const response = await fetch(`${base}/api/reviews${path}`, {
      method,
      headers: { "review-token": token, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const read = async (): Promise<ReviewSession> => {
    const { status, body } = await call("GET", "/session");
    assert.equal(status, 200, JSON.stringify(body));
    return body as unknown as ReviewSession;
  };
  return {
    id,
    url,
    call,
    read,
    async decide(postId, decision, digest) {
      const seenDigest = digest ?? (await read()).posts.find((post) => post.id === postId)?.digest;
      const input = { postId, digest: seenDigest, decision, name: "Greta", comment: "As discussed" };
      const { status, body } = await call("POST", "/decisions", input);
      return status === 200 ? "ok" : String(body["code"]);
    },
  };
}

/** Creates a link as the owner. */
export async function shareReview(
  { api, service }: PublishingFixture,
  postIds: readonly string[],
  options: object = {},
): Promise<ReviewClient> {
  const { status, body } = await api("POST", "/review-links", { postIds, ...options });
  assert.equal(status, 201, JSON.stringify(body));
  return openReview(service.base, body as { id: string; url: string });
}
