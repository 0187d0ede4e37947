import type { Stores } from "../deps.ts";
import type { ListedComment } from "./ports.ts";

/** Reads a comment after locking its post, so that parallel calls change the comments of a post one after the other. */
export async function lockComment(
  tx: Pick<Stores, "comments" | "posts">,
  studioId: string,
  commentId: string,
): Promise<ListedComment | undefined> {
  const comment = await tx.comments.find(studioId, commentId);
  if (!comment || !(await tx.posts.lock(studioId, comment.postId))) return undefined;
  return tx.comments.find(studioId, commentId);
}
