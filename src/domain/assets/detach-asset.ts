import { z } from "zod";
import type { Caller } from "../caller.ts";
import { detachFromPost } from "../changes/change-asset.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../model/post.ts";
import { id } from "../model/text.ts";
import { parseAssetId } from "../model/asset.ts";

export const detachAssetInput = z.strictObject({ postId: id, assetId: id });
export const detachAssetOutput = z.object({ detached: z.string().describe("The asset's id.") });

/** Removes an asset from a post. The asset is kept and can be attached again. */
export async function detachAsset(
  deps: Pick<Deps, "transact" | "newId" | "clock" | "limits">,
  caller: Caller,
  input: z.infer<typeof detachAssetInput>,
): Promise<z.infer<typeof detachAssetOutput>> {
  authorize(caller, "assets.write");
  const postId = parsePostId(input.postId);
  const assetId = parseAssetId(input.assetId);
  await deps.transact(caller, (tx) =>
    detachFromPost(deps, tx, caller, assetId, { postId, keepsApproval: tx.mayPublish }),
  );
  return { detached: assetId };
}
