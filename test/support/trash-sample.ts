import assert from "node:assert/strict";
import type { z } from "zod";
import type { Me } from "#domain/access/me.ts";
import type { TrashItemView } from "#domain/trash/trash.ts";
import type { UndoReport } from "#domain/undo/report.ts";
import type { RevisionView } from "#domain/history/get-post-history.ts";
import type { getPostOutput } from "#domain/posts/get-post.ts";
import { callToolOk, fetchAssetDigest, uploadInline, type Credentials } from "./service-access.ts";

/** A deleted post of a running service. A backup or a move must preserve it. */
export interface TrashedPost {
  postId: string;
  assetId: string;
  sha256: string;
  /** A comment of the AI client, to which a user has replied. */
  commentId: string;
  createdAt: string;
}

/** Creates a post with a file, changes both through an AI client, comments on it, and moves the post to the trash. */
export async function createTrashedPost(base: string, credentials: Credentials): Promise<TrashedPost> {
  const { token } = credentials;
  const call = <T>(tool: string, input: object) => callToolOk<T>(base, token, tool, input);
  const post = await call<{ id: string; createdAt: string }>("create_post", { title: "Deleted", body: "First" });
  const { id: assetId, sha256 } = await uploadInline(base, token);
  await call("attach_asset", { postId: post.id, assetId });
  await call("update_asset", { assetId, altText: "What it shows" });
  await call("update_post", { postId: post.id, body: "Second", revision: 3 });
  const { id: commentId } = await call<{ id: string }>("add_comment", { postId: post.id, body: "A question" });
  const reply = { body: "An answer", parentId: commentId };
  await callStudio(base, credentials, "POST", `/posts/${post.id}/comments`, reply);
  await call("delete_post", { postId: post.id });
  return { postId: post.id, assetId, sha256, commentId, createdAt: post.createdAt };
}

/** Asserts that the post can be restored with its file, history and comments, and that undo still finds the changes. */
export async function assertRestorable(base: string, credentials: Credentials, sample: TrashedPost): Promise<void> {
  const { postId, assetId, sha256, commentId, createdAt } = sample;
  const { token } = credentials;
  const { items } = await callTrash<{ items: TrashItemView[] }>(base, credentials, "GET");
  assert.ok(items.some(({ id, title }) => id === postId && title === "Deleted"));
  await callTrash(base, credentials, "POST", `/${postId}/restore`);
  assert.equal(await fetchAssetDigest(base, token, assetId), sha256);
  const { revisions } = await callToolOk<{ revisions: RevisionView[] }>(base, token, "get_post_history", { postId });
  assert.deepEqual(
    revisions.map(({ revision, changed, client, body, assets }) => [
      revision,
      changed.join(),
      client?.name,
      body,
      assets.map((asset) => asset.altText ?? "").join(),
    ]),
    [
      [6, "trashed", undefined, "Second", "What it shows"],
      [5, "trashed", "Test client", "Second", "What it shows"],
      [4, "body", "Test client", "Second", "What it shows"],
      [3, "assets", "Test client", "First", "What it shows"],
      [2, "assets", "Test client", "First", ""],
      [1, "title,body", "Test client", "First", ""],
    ],
  );
  const { comments = [] } = await callToolOk<z.infer<typeof getPostOutput>>(base, token, "get_post", {
    postId,
    includeComments: true,
  });
  assert.deepEqual(
    comments.map(({ body, parentId, client }) => [body, parentId, client?.name]),
    [
      ["An answer", commentId, undefined],
      ["A question", null, "Test client"],
    ],
  );
  const dryRun = await callToolOk<UndoReport>(base, token, "undo_changes", { since: createdAt, dryRun: true });
  assert.ok(dryRun.undone.some(({ id, field }) => id === assetId && field === "altText"));
  assert.ok(dryRun.undone.some(({ type, id }) => type === "comment" && id === commentId));
}

/** Calls the trash API of the user's active studio. */
export const callTrash = <T>(
  base: string,
  credentials: Pick<Credentials, "cookie">,
  method: "GET" | "POST" | "DELETE",
  path = "",
): Promise<T> => callStudio(base, credentials, method, `/trash${path}`);

/** Calls the API of the user's active studio, as the web app does. */
async function callStudio<T>(
  base: string,
  { cookie }: Pick<Credentials, "cookie">,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: object,
): Promise<T> {
  const headers = { cookie, origin: base, "content-type": "application/json" };
  const { activeStudioId } = (await (await fetch(`${base}/api/me`, { headers })).json()) as Me;
  const response = await fetch(`${base}/api/studios/${activeStudioId}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${response.status} ${await response.clone().text()}`);
  return (response.status === 204 ? undefined : await response.json()) as T;
}
