import { z } from "zod";
import { notFound } from "#lib/errors.ts";
import { describeAssets } from "../assets/describe.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../text.ts";
import { knownPostId, viewPost, type PostView } from "./post.ts";

export const getPostInput = z.strictObject({
  postId: id,
  includePreviews: z
    .boolean()
    .optional()
    .describe("Also show you its first pictures, up to four, at most 512 px each."),
});

export async function getPost(
  deps: Pick<Deps, "posts" | "assets" | "files" | "signer" | "clock" | "base">,
  caller: Caller,
  input: z.infer<typeof getPostInput>,
): Promise<PostView> {
  authorize(caller, "posts.read");
  const postId = knownPostId(input.postId);
  const [post, assets] = await Promise.all([
    deps.posts.find(caller.studio.id, postId),
    deps.assets.listOnPosts([postId]),
  ]);
  if (!post) throw notFound("post");
  return viewPost(deps.base, post, await describeAssets(deps, assets));
}
