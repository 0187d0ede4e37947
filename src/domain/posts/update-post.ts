import { z } from "zod";
import { AppError, notFound } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../text.ts";
import { knownPostId, postFields, postStatuses, revisionConflict, viewPost, type PostView } from "./post.ts";

export const updatePostInput = z.strictObject({
  postId: id,
  title: postFields.title.optional(),
  body: postFields.body.optional(),
  status: z.enum(postStatuses).optional(),
  revision: z
    .int32()
    .min(1)
    .optional()
    .describe("The revision you read. If the post has moved on, nothing changes and you are told."),
});

export async function updatePost(
  deps: Pick<Deps, "transact" | "newId" | "clock" | "base">,
  caller: Caller,
  input: z.infer<typeof updatePostInput>,
): Promise<PostView> {
  authorize(caller, "posts.write");
  const { postId, revision, ...fields } = input;
  const change = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  if (Object.keys(change).length === 0) {
    throw new AppError("invalid_input", "Nothing to change was given.", "Give at least one of title, body or status.");
  }
  const post = await deps.transact(async (tx) => {
    const updated = await tx.posts.update(caller.studio.id, knownPostId(postId), change, revision, deps.clock());
    if (!updated) {
      const current = await tx.posts.find(caller.studio.id, postId);
      throw current ? revisionConflict(current.revision) : notFound("post");
    }
    await recordActivity(deps, tx, caller, "post.updated", postId, {
      fields: Object.keys(change),
      revision: updated.revision,
    });
    return updated;
  });
  return viewPost(deps.base, post);
}
