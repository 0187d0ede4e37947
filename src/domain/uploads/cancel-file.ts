import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import { isOnItsWay } from "../assets/asset.ts";
import { removeFiles, removeRecord } from "../assets/removal.ts";
import type { Deps } from "../deps.ts";
import { ifOvertaken } from "../overtaken.ts";
import { authorize } from "../policy.ts";
import { findFile } from "./file-view.ts";
import type { UploadVisitor } from "./visit.ts";

const maxRounds = 10;

/** Gives up a file that has not arrived: its parts go, and its place on the post is free again. */
export async function cancelFile(
  deps: Pick<Deps, "uploads" | "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
  visitor: UploadVisitor,
  input: { fileId: string },
): Promise<void> {
  authorize(visitor, "assets.write");
  for (let round = 0; round < maxRounds; round++) {
    const { asset } = await findFile(deps, visitor, input.fileId);
    if (!isOnItsWay(asset)) throw new AppError("already_attached:file");
    const isRemoved = await deps
      .transact(async (tx) => {
        await removeRecord(deps, tx, asset);
        await recordActivity(deps, tx, visitor, "asset.deleted", asset.id, { filename: asset.filename });
        return true;
      })
      .catch(ifOvertaken);
    if (!isRemoved) continue; // a part was reserved meanwhile, or the file has arrived
    await removeFiles(deps, asset);
    return;
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}
