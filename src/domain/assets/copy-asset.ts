import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { insertCopy } from "../changes/insert-asset.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../model/text.ts";
import { buildNewAsset } from "../steps/new-asset.ts";
import { type Asset, parseAssetId, type ReadyAsset } from "../model/asset.ts";

export const copyAssetInput = z.strictObject({ assetId: id });
export const copyAssetOutput = z.object({ assetId: z.string().describe("The id of the copy.") });

/**
 * Creates an asset that shares the file of another asset and is not on a post. No bytes are copied or charged, because
 * the file counts once toward the quota. The file is deleted with its last asset.
 */
export async function copyAsset(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof copyAssetInput>,
): Promise<z.infer<typeof copyAssetOutput>> {
  authorize(caller, "assets.write");
  const originalId = parseAssetId(input.assetId);
  return retryOnConflict(() =>
    deps.transact(caller, async (tx) => {
      const copy = await insertCopy(deps, tx, caller, originalId, (original) => buildCopy(deps, caller, original));
      return copy ? { assetId: copy.id } : throwNotCopyable(tx, caller.studio.id, originalId);
    }),
  );
}

/** Copies everything that describes the file, but not the original's post or upload. */
function buildCopy(deps: Pick<Deps, "newId" | "clock">, caller: Caller, original: ReadyAsset): Asset {
  const { id: copyId, createdBy, createdByClientName, createdAt } = buildNewAsset(deps, caller, original);
  return {
    ...original,
    id: copyId,
    postId: null,
    position: null,
    sourceVersion: null,
    uploadExpiresAt: null,
    isLibraryUpload: false,
    changeCount: 0,
    createdBy,
    createdByClientName,
    createdAt,
  };
}

async function throwNotCopyable(tx: Tx, studioId: string, assetId: string): Promise<never> {
  const asset = await tx.assets.find(studioId, assetId);
  if (!asset) throw notFoundError("asset");
  if (asset.status === "pending") throw new AppError("not_uploaded:copy");
  throw new ConflictError(); // the asset became ready, or was restored, after `insertCopy`
}
