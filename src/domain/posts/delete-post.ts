import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { changePost } from "../changes/change-post.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../model/text.ts";
import { createTrashMark } from "../changes/editor.ts";
import { parsePostId } from "../model/post.ts";

export const deletePostInput = z.strictObject({ postId: id });
export const deletePostOutput = z.object({ deleted: z.string().describe("The post's id.") });

/** Moves a post with its assets to the trash and withdraws its upload links. */
export async function deletePost(
  deps: Pick<Deps, "transact" | "newId" | "clock" | "limits" | "platforms">,
  caller: Caller,
  input: z.infer<typeof deletePostInput>,
): Promise<z.infer<typeof deletePostOutput>> {
  authorize(caller, "posts.write");
  const postId = parsePostId(input.postId);
  await deps.transact(caller, (tx) =>
    changePost(deps, tx, caller, postId, {
      fields: { trash: createTrashMark(deps, caller) },
      keepsApproval: tx.mayPublish,
      activity: ({ title }) => ({ action: "post.deleted", detail: { title } }),
      createError: () => notFoundError("post"),
    }),
  );
  return { deleted: postId };
}
