import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { type CommentView, toCommentView } from "../model/comment.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import { parsePostId } from "../model/post.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";

export const listCommentsInput = z.strictObject({ postId: id, ...pageInput });

/** Lists the comments of a post, oldest first, so that a thread's first comment comes before its replies. */
export async function listComments(
  deps: Pick<Deps, "posts" | "comments">,
  caller: Caller,
  input: z.infer<typeof listCommentsInput>,
): Promise<{ comments: CommentView[]; nextCursor: string | null }> {
  authorize(caller, "posts.read");
  const postId = parsePostId(input.postId);
  const listKey = `comments ${postId}`;
  const after = parseCursor(input.cursor, listKey);
  if (!(await deps.posts.find(caller.studio.id, postId))) throw notFoundError("post");
  const rows = await deps.comments.list(postId, { after, limit: input.limit + 1 });
  const { items, nextCursor } = toPage(rows, input.limit, listKey);
  return { comments: items.map(toCommentView), nextCursor };
}
