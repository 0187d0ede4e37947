import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { pageInput, parseCursor, toPage } from "../page.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../posts/post.ts";
import { id } from "../text.ts";
import { toCommentView, type CommentView } from "./comment.ts";

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
