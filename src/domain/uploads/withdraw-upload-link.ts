import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { removeAssets } from "../steps/delete-files.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../model/post.ts";

/** Withdraws a link immediately. Keeps the files that have arrived and cancels uploads in progress. */
export async function withdrawUploadLink(
  deps: Pick<Deps, "uploads" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: Caller,
  input: { postId: string; linkId: string },
): Promise<void> {
  authorize(caller, "assets.write");
  const postId = parsePostId(input.postId);
  if (!isId("uploadLink", input.linkId)) throw notFoundError("upload_link");
  await deps.transact(caller, async (tx) => {
    if (!(await tx.uploads.withdraw(caller.studio.id, postId, input.linkId, deps.clock())))
      throw notFoundError("upload_link");
    await recordActivity(deps, tx, caller, "upload_link.withdrawn", input.linkId, { postId });
  });
  const files = await deps.uploads.listFiles(input.linkId);
  await removeAssets(
    deps,
    files.map(({ asset }) => asset).filter(({ status }) => status === "pending"),
  );
}
