import { z } from "zod";
import { notFound } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../text.ts";
import { knownPostId, viewPost, type PostView } from "./post.ts";

export const getPostInput = z.strictObject({ postId: id });

export async function getPost(
  deps: Pick<Deps, "posts" | "base">,
  caller: Caller,
  input: z.infer<typeof getPostInput>,
): Promise<PostView> {
  authorize(caller, "posts.read");
  const post = await deps.posts.find(caller.studio.id, knownPostId(input.postId));
  if (!post) throw notFound("post");
  return viewPost(deps.base, post);
}
