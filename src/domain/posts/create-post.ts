import { z } from "zod";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { postFields, viewPost, type Post, type PostView } from "./post.ts";

export const createPostInput = z.strictObject({ title: postFields.title, body: postFields.body.default("") });

export async function createPost(
  deps: Pick<Deps, "transact" | "newId" | "clock" | "base">,
  caller: Caller,
  input: z.infer<typeof createPostInput>,
): Promise<PostView> {
  authorize(caller, "posts.write");
  const now = deps.clock();
  const post: Post = {
    id: deps.newId("post"),
    studioId: caller.studio.id,
    title: input.title,
    body: input.body,
    status: "draft",
    revision: 1,
    createdBy: caller.user.id,
    createdAt: now,
    updatedAt: now,
  };
  await deps.transact(async (tx) => {
    await tx.posts.insert(post);
    await recordActivity(deps, tx, caller, "post.created", post.id, { title: post.title });
  });
  return viewPost(deps.base, post);
}
