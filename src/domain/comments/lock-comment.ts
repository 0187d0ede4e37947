import type { Tx } from "../ports/deps.ts";
import type { ListedComment } from "../model/comment.ts";

/**
 * Reads a comment after locking its post, so that parallel calls change the comments of a post one after the other. With
 * `postId`, finds only comments of this post.
 */
export async function lockComment(
  tx: Tx,
  studioId: string,
  { commentId, postId }: { commentId: string; postId?: string | undefined },
): Promise<ListedComment | undefined> {
  const comment = await tx.comments.find(studioId, commentId);
  if (!comment || (postId !== undefined && comment.postId !== postId)) return undefined;
  if (!(await tx.posts.lock(studioId, comment.postId))) return undefined;
  return tx.comments.find(studioId, commentId);
}
