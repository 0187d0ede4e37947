import { z } from "zod";
import type { Caller } from "../caller.ts";
import { insertPost } from "../changes/change-post.ts";
import type { Deps } from "../ports/deps.ts";
import { idempotencyKey, runOnce } from "../steps/run-once.ts";
import { authorize } from "../policy.ts";
import { tags } from "../model/text.ts";
import { type Post, postFields, type PostView, toPostView } from "../model/post.ts";
import { addDetails, type ValidationDeps } from "../steps/describe-post.ts";

export const createPostInput = z.strictObject({
  title: postFields.title,
  body: postFields.body.default(""),
  tags: tags.optional(),
  idempotencyKey,
});

export async function createPost(
  deps: ValidationDeps & Pick<Deps, "transact" | "posts" | "newId" | "clock" | "limits" | "baseUrl" | "publications">,
  caller: Caller,
  input: z.infer<typeof createPostInput>,
): Promise<PostView> {
  authorize(caller, "posts.write");
  const { idempotencyKey: key, ...fields } = input;
  const now = deps.clock();
  const post: Post = {
    id: deps.newId("post"),
    studioId: caller.studio.id,
    title: fields.title,
    body: fields.body,
    status: "draft",
    revision: 1,
    assetCount: 0,
    variants: [],
    crops: [],
    tags: fields.tags ?? [],
    createdBy: caller.user.id,
    createdByClientName: caller.client?.name ?? null,
    readyRevision: null,
    isTrashed: false,
    createdAt: now,
    updatedAt: now,
  };
  const view = await deps.transact(caller, (tx) =>
    runOnce(deps, tx, caller, { verb: "create_post", key, input: fields }, async () => {
      await insertPost(deps, tx, caller, post);
      return toPostView(deps.baseUrl, post, []);
    }),
  );
  return addDetails(deps, caller.studio.id, view);
}
