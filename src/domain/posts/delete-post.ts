import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Stores } from "../deps.ts";
import { recordRevision, type Editor } from "../history/record.ts";
import { authorize } from "../policy.ts";
import { id } from "../text.ts";
import { createTrashMark } from "../trash/trash-mark.ts";
import { parsePostId, type Post } from "./post.ts";
import type { PostChange, UpdateCondition } from "./ports.ts";

export const deletePostInput = z.strictObject({ postId: id });
export const deletePostOutput = z.object({ deleted: z.string().describe("The post's id.") });

/** Moves a post with its assets to the trash and withdraws its upload links. */
export async function deletePost(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof deletePostInput>,
): Promise<z.infer<typeof deletePostOutput>> {
  authorize(caller, "posts.write");
  const postId = parsePostId(input.postId);
  await deps.transact(caller, async (tx) => {
    const post = await trashPost(deps, tx, caller, postId);
    if (!post) throw notFoundError("post");
    await recordRevision(deps, tx, caller, postId);
    await recordActivity(deps, tx, caller, "post.deleted", postId, { title: post.title });
  });
  return { deleted: postId };
}

/** Moves a post to the trash; undefined if it does not meet the condition. Callers must call `recordRevision` next. */
export async function trashPost(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  editor: Editor,
  postId: string,
  condition: Pick<UpdateCondition, "revision"> = {},
): Promise<Post | undefined> {
  const trash = createTrashMark(deps, editor);
  const post = await tx.posts.update(editor.studio.id, postId, { trash }, { ...condition, now: trash.at });
  if (!post) return undefined;
  await tx.assets.setTrashOfPostAssets(postId, trash);
  await tx.uploads.withdrawForPost(postId, trash.at);
  return post;
}

/** Restores a post; undefined if it is not in the trash or does not meet the condition. Then call `recordRevision`. */
export async function untrashPost(
  deps: Pick<Deps, "clock">,
  tx: Stores,
  editor: Editor,
  postId: string,
  change: PostChange = {},
  condition: Pick<UpdateCondition, "revision"> = {},
): Promise<Post | undefined> {
  const post = await tx.posts.update(
    editor.studio.id,
    postId,
    { ...change, trash: null },
    { ...condition, isTrashed: true, now: deps.clock() },
  );
  if (post) await tx.assets.setTrashOfPostAssets(postId, null);
  return post;
}
