import { type CommentView, toCommentView } from "../model/comment.ts";
import type { Deps } from "../ports/deps.ts";

/** Bounds what a model reads with one call. */
const maxNewestComments = 50;
/** Maximum total length of these comments. The newest one is included even if it is longer. */
const maxTextLength = 20_000;

/** Lists the newest comments of a post, newest first. `olderComments` is the number of comments that are left out. */
export async function listNewestComments(
  { comments }: Pick<Deps, "comments">,
  postId: string,
): Promise<{ comments: CommentView[]; olderComments: number }> {
  const [rows, count] = await Promise.all([comments.listNewest(postId, maxNewestComments), comments.count(postId)]);
  let textLength = 0;
  const shownRows = rows.filter(({ body }, i) => (textLength += body.length) <= maxTextLength || i === 0);
  return { comments: shownRows.map(toCommentView), olderComments: Math.max(0, count - shownRows.length) };
}
