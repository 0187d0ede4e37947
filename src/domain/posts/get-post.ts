import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { commentView, type CommentView, toCommentView } from "../model/comment.ts";
import { parsePostId, postView, toPostView } from "../model/post.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { describeAssets, includeUrlsInput, needsUrls } from "../steps/describe-asset.ts";
import { addExistingDetails, type ValidationDeps } from "../steps/describe-post.ts";

export const getPostInput = z.strictObject({
  postId: id,
  includePreviews: z.boolean().optional().describe("Return the first four images, scaled to 512 px."),
  includeUrls: includeUrlsInput,
  includeComments: z.boolean().optional().describe("Also return the newest comments."),
});

export const getPostOutput = postView.extend({
  comments: z.array(commentView).optional().describe("With includeComments: the newest comments, newest first."),
  olderComments: z.number().int().optional().describe("Number of older comments that are not included."),
});

export async function getPost(
  deps: ValidationDeps & Pick<Deps, "posts" | "comments" | "publications" | "signer" | "clock" | "baseUrl">,
  caller: Caller,
  input: z.infer<typeof getPostInput>,
): Promise<z.infer<typeof getPostOutput>> {
  authorize(caller, "posts.read");
  const postId = parsePostId(input.postId);
  const [result, assets] = await Promise.all([
    deps.posts.findWithDetailFlags(caller.studio.id, postId),
    deps.assets.listByPosts([postId]),
  ]);
  if (!result) throw notFoundError("post");
  const view = toPostView(
    deps.baseUrl,
    result.post,
    await describeAssets(deps, assets, needsUrls(caller, input.includeUrls)),
  );
  return {
    ...(await addExistingDetails(deps, caller.studio.id, view, result)),
    ...(input.includeComments ? await listNewestComments(deps, postId) : {}),
  };
}

/** Bounds what a model reads with one call. */
const maxNewestComments = 50;
/** Maximum total length of these comments. The newest one is included even if it is longer. */
const maxTextLength = 20_000;

/** Lists the newest comments of a post, newest first. `olderComments` is the number of comments that are left out. */
async function listNewestComments(
  { comments }: Pick<Deps, "comments">,
  postId: string,
): Promise<{ comments: CommentView[]; olderComments: number }> {
  const [rows, count] = await Promise.all([comments.listNewest(postId, maxNewestComments), comments.count(postId)]);
  let textLength = 0;
  const shownRows = rows.filter(({ body }, i) => (textLength += body.length) <= maxTextLength || i === 0);
  return { comments: shownRows.map(toCommentView), olderComments: Math.max(0, count - shownRows.length) };
}
