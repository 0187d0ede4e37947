import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Caller } from "../caller.ts";
import { changeAsset } from "../changes/change-asset.ts";
import { changePost } from "../changes/change-post.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";

/** Restores a deleted post with its assets, or a deleted asset. */
export async function restoreFromTrash(
  deps: Pick<Deps, "assets" | "transact" | "newId" | "clock" | "limits">,
  caller: Caller,
  input: { id: string },
): Promise<{ id: string; type: "post" | "asset"; title: string }> {
  const { id } = input;
  const type = isId("post", id) ? "post" : "asset";
  authorize(caller, type === "post" ? "posts.write" : "assets.write");
  if (type === "post") return { id, type, title: await restoreTrashedPost(deps, caller, id) };
  if (!isId("asset", id)) throw notFoundError("trash_item");
  return { id, type, title: await restoreTrashedAsset(deps, caller, id) };
}

function restoreTrashedPost(
  deps: Pick<Deps, "transact" | "newId" | "clock" | "limits">,
  caller: Caller,
  postId: string,
): Promise<string> {
  return deps.transact(caller, async (tx) => {
    const { post } = await changePost(deps, tx, caller, postId, {
      fields: { trash: null },
      keepsApproval: tx.mayPublish,
      activity: ({ title }) => ({ action: "post.restored", detail: { title } }),
      createError: () => notFoundError("trash_item"),
    });
    return post.title;
  });
}

function restoreTrashedAsset(
  deps: Pick<Deps, "assets" | "transact" | "newId" | "clock" | "limits">,
  caller: Caller,
  assetId: string,
): Promise<string> {
  return retryOnConflict(async () => {
    const asset = await deps.assets.findWithTrash(caller.studio.id, assetId);
    // An asset that was deleted with its post is restored with the post, not alone.
    if (asset?.postId !== null) throw notFoundError("trash_item");
    if (asset.trashExpiresAt === null || asset.trashExpiresAt <= deps.clock()) throw notFoundError("trash_item");
    await deps.transact(caller, (tx) =>
      changeAsset(deps, tx, caller, asset, {
        change: { trash: null },
        keepsApproval: tx.mayPublish,
        activity: ({ filename }) => ({ action: "asset.restored", detail: { filename } }),
      }),
    );
    return asset.filename;
  });
}
