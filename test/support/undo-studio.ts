import assert from "node:assert/strict";
import type { Database } from "#db/database.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment, deleteComment } from "#domain/comments/comments.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import type { PostStatus } from "#domain/model/post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { setCrop } from "#domain/renditions/set-crop.ts";
import { restoreFromTrash } from "#domain/trash/trash.ts";
import { AppError } from "#lib/errors.ts";
import { addFile } from "./history-fixture.ts";
import { fakePlatforms } from "./platform-fixture.ts";
import { findInconsistencies, type State } from "./undo-model.ts";

/** An edit. Numbers refer to posts, assets, comments and revisions in the order of their creation, modulo their count. */
export type Edit =
  | { kind: "title" | "body"; post: number; value: string }
  | { kind: "status"; post: number; value: PostStatus }
  | { kind: "attach"; post: number; asset: number }
  | { kind: "detach" | "delete asset" | "restore asset"; asset: number }
  | { kind: "reorder" | "delete post" | "restore post"; post: number }
  | CropEdit
  | { kind: "alt text"; asset: number; value: string }
  | { kind: "create"; value: string }
  | { kind: "upload" }
  | CommentEdit
  | { kind: "restore revision"; post: number; revision: number };

/** Crops an asset of the post; pads it if `x` is null. */
interface CropEdit {
  kind: "crop";
  post: number;
  asset: number;
  x: number | null;
}

type CommentEdit = { kind: "comment"; post: number } | { kind: "reply" | "delete comment"; comment: number };

const isCommentEdit = (edit: Edit): edit is CommentEdit => edit.kind === "comment" || "comment" in edit;

async function changeComments(deps: Deps, caller: Caller, edit: CommentEdit, state: State): Promise<unknown> {
  if (edit.kind === "comment")
    return addComment(deps, caller, { postId: pick(Object.keys(state.posts), edit.post), body: "A" });
  const commentId = pick(Object.keys(state.comments), edit.comment);
  if (edit.kind === "delete comment") return deleteComment(deps, caller, { commentId });
  const thread = await deps.comments.findWithDeleted(caller.studio.id, commentId);
  return addComment(deps, caller, { postId: thread?.postId ?? "", body: "B", parentId: commentId });
}

const pick = (ids: readonly string[], index: number): string => ids[index % ids.length] ?? "";

function cropImage(
  deps: Deps,
  caller: Caller,
  { asset, x }: CropEdit,
  { postId, assetIds }: { postId: string; assetIds: readonly string[] },
): Promise<unknown> {
  const target = { postId, assetId: pick(assetIds, asset), platform: "somewhere" };
  const position = x === null ? ({ mode: "pad", x: 0 } as const) : ({ mode: "crop", x } as const);
  return setCrop({ ...deps, platforms: fakePlatforms }, caller, { ...target, ...position, y: 0 });
}

/** Performs the edit as the caller. Ignores the error if the current state does not allow the edit. */
export async function performEdit(
  { deps, database }: { deps: Deps; database: Database },
  caller: Caller,
  edit: Edit,
  state: State,
): Promise<void> {
  const postId = "post" in edit ? pick(Object.keys(state.posts), edit.post) : "";
  const assetIds = state.posts[postId]?.assets ?? [];
  const assetId = "asset" in edit ? pick(Object.keys(state.assets), edit.asset) : "";
  const run = async (): Promise<unknown> => {
    if (isCommentEdit(edit)) return changeComments(deps, caller, edit, state);
    switch (edit.kind) {
      case "title":
      case "body":
      case "status": {
        const revision = caller.client ? ((await deps.posts.find(caller.studio.id, postId))?.revision ?? 1) : undefined;
        return updatePost(deps, caller, { postId, [edit.kind]: edit.value, revision });
      }
      case "attach":
        return attachAsset(deps, caller, { postId, assetId });
      case "detach":
        return detachAsset(deps, caller, { postId: state.assets[assetId]?.postId ?? "", assetId });
      case "reorder":
        return updatePost(deps, caller, { postId, assetIds: assetIds.toReversed() });
      case "crop":
        return cropImage(deps, caller, edit, { postId, assetIds });
      case "alt text":
        return updateAsset(deps, caller, { assetId, altText: edit.value });
      case "delete post":
        return deletePost(deps, caller, { postId });
      case "restore post":
        return restoreFromTrash(deps, caller, { id: postId });
      case "delete asset":
        return deleteAsset(deps, caller, { assetId });
      case "restore asset":
        return restoreFromTrash(deps, caller, { id: assetId });
      case "create":
        return createPost(deps, caller, { title: edit.value, body: edit.value });
      case "upload":
        return addFile(deps, caller);
      case "restore revision": {
        const query = database.q.selectFrom("postRevisions").select("revision").where("postId", "=", postId);
        const rows = await query.orderBy("revision").execute();
        return restorePost(deps, caller, { postId, revision: rows[edit.revision % rows.length]?.revision ?? 1 });
      }
    }
  };
  await run().catch((error: unknown) => {
    const isRejection =
      error instanceof AppError && !["internal", "storage_unavailable", "revision_conflict"].includes(error.code);
    if (!isRejection) throw error;
  });
}

/**
 * Reads the studio's posts, assets and comments from the tables. Fails if they are inconsistent, or if the newest
 * snapshot of a post differs from the post.
 */
export async function readConsistentStudio({ q }: Database, studioId: string): Promise<State> {
  const postRows = await q.selectFrom("posts").selectAll().where("studioId", "=", studioId).orderBy("id").execute();
  const assetRows = await q.selectFrom("assets").selectAll().where("studioId", "=", studioId).orderBy("id").execute();
  const commentRows = await q
    .selectFrom("comments")
    .selectAll()
    .where("studioId", "=", studioId)
    .orderBy("id")
    .execute();
  const { usedBytes } = await q
    .selectFrom("studios")
    .select("usedBytes")
    .where("id", "=", studioId)
    .executeTakeFirstOrThrow();
  const listOnPost = (postId: string) =>
    assetRows.filter((row) => row.postId === postId).toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0));
  const state: Pick<State, "posts" | "assets" | "comments"> = {
    posts: Object.fromEntries(
      postRows.map(({ id, title, body, status, crops, trashedAt }) => [
        id,
        {
          title,
          body,
          status,
          crops: JSON.stringify(crops),
          isTrashed: trashedAt !== null,
          assets: listOnPost(id).map((row) => row.id),
        },
      ]),
    ),
    assets: Object.fromEntries(
      assetRows.map(({ id, altText, postId, trashedAt }) => [
        id,
        { altText, postId, isTrashed: trashedAt !== null && postId === null },
      ]),
    ),
    comments: Object.fromEntries(
      commentRows.map(({ id, body, removedAt: deletedAt }) => [
        id,
        { isDeleted: deletedAt !== null, isErased: body === "" },
      ]),
    ),
  };
  const assetBytes = assetRows.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  const assetCounts = Object.fromEntries(postRows.map((row) => [row.id, row.assetCount]));
  assert.deepEqual(findInconsistencies(state, { assetCounts, usedBytes, assetBytes }), []);
  for (const { id, trashedAt } of postRows)
    for (const row of listOnPost(id)) assert.equal(row.trashedAt, trashedAt, `${row.id} is in the trash with its post`);

  const snapshots = await q
    .selectFrom("posts as p")
    .innerJoin("postRevisions as r", (join) =>
      join.onRef("r.postId", "=", "p.id").onRef("r.revision", "=", "p.revision"),
    )
    .select(["r.postId as id", "r.title", "r.body", "r.status", "r.crops", "r.isTrashed", "r.assetsRevision"])
    .where("p.studioId", "=", studioId)
    .orderBy("p.id")
    .execute();
  const snapshotAssets = await q
    .selectFrom("posts as p")
    .innerJoin("postRevisionAssets as a", (join) =>
      join.onRef("a.postId", "=", "p.id").onRef("a.revision", "=", "p.assetsRevision"),
    )
    .select(["a.postId", "a.assetId", "a.altText"])
    .where("p.studioId", "=", studioId)
    .orderBy("a.position")
    .execute();
  assert.deepEqual(
    snapshots.map((row) => ({
      ...row,
      assets: snapshotAssets.filter((asset) => asset.postId === row.id).map((asset) => [asset.assetId, asset.altText]),
    })),
    postRows.map(({ id, title, body, status, crops, trashedAt, assetsRevision }) => ({
      id,
      title,
      body,
      status,
      crops,
      isTrashed: trashedAt !== null,
      assetsRevision,
      assets: listOnPost(id).map((row) => [row.id, row.altText]),
    })),
    "the newest snapshot of every post equals the post",
  );
  return { ...state, revisions: Object.fromEntries(postRows.map((row) => [row.id, row.revision])) };
}
