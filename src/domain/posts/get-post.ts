import { z } from "zod";
import { notFound } from "#lib/errors.ts";
import { describeAssets } from "../assets/describe.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../text.ts";
import { validatePost, validationView } from "../platforms/validate-post.ts";
import { knownPostId, postView, viewPost } from "./post.ts";

export const getPostInput = z.strictObject({
  postId: id,
  includePreviews: z
    .boolean()
    .optional()
    .describe("Also show you its first pictures, up to four, at most 512 px each."),
});

export const getPostOutput = postView.extend({
  validation: z
    .array(validationView)
    .describe("For each connected platform, what of this post it would refuse or warn about. Empty where none is."),
});

export async function getPost(
  deps: Pick<Deps, "posts" | "assets" | "files" | "signer" | "clock" | "base" | "platforms" | "platformStore">,
  caller: Caller,
  input: z.infer<typeof getPostInput>,
): Promise<z.infer<typeof getPostOutput>> {
  authorize(caller, "posts.read");
  const postId = knownPostId(input.postId);
  const [found, assets] = await Promise.all([
    deps.posts.read(caller.studio.id, postId),
    deps.assets.listOnPosts([postId]),
  ]);
  if (!found) throw notFound("post");
  const view = viewPost(deps.base, found.post, await describeAssets(deps, assets));
  const connections = found.hasPlatforms ? await deps.platformStore.listConnected(caller.studio.id) : [];
  return { ...view, validation: validatePost(deps.platforms, connections, view) };
}
