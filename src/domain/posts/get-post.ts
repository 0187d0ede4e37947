import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { commentView } from "../model/comment.ts";
import { parsePostId, postView, toPostView } from "../model/post.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { describeAssets, includeUrlsInput, needsUrls } from "../steps/describe-asset.ts";
import { addExistingDetails, type ValidationDeps } from "../steps/describe-post.ts";
import { listNewestComments } from "../steps/newest-comments.ts";

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
