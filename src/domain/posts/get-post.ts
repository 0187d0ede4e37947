import { z } from "zod";
import { notFound } from "#lib/errors.ts";
import { describeAssets } from "../assets/describe.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../text.ts";
import { knownPostId, viewPost, type PostView } from "./post.ts";
import { validateFor } from "./validate-for.ts";

export const getPostInput = z.strictObject({
  postId: id,
  includePreviews: z
    .boolean()
    .optional()
    .describe("Also show you its first pictures, up to four, at most 512 px each."),
});

export async function getPost(
  deps: Pick<Deps, "posts" | "assets" | "files" | "signer" | "clock" | "base" | "platforms" | "platformStore">,
  caller: Caller,
  input: z.infer<typeof getPostInput>,
): Promise<PostView> {
  authorize(caller, "posts.read");
  const postId = knownPostId(input.postId);
  const [found, assets] = await Promise.all([
    deps.posts.read(caller.studio.id, postId),
    deps.assets.listOnPosts([postId]),
  ]);
  if (!found) throw notFound("post");
  const view = viewPost(deps.base, found.post, await describeAssets(deps, assets));
  return { ...view, validation: found.hasPlatforms ? await validateFor(deps, caller.studio.id, view) : [] };
}
