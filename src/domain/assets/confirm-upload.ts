import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import { ifOvertaken, Overtaken } from "../overtaken.ts";
import type { Post } from "../posts/post.ts";
import type { Asset, ReadyAsset } from "./asset.ts";
import { sourceInStore } from "./byte-source.ts";
import { learnFacts } from "./facts.ts";
import type { StoredFile } from "./file-store.ts";
import { checkBytes, type Passed } from "./gate.ts";
import { incomingKey, newFileKey } from "./keys.ts";
import { checkFull, takePlace, type AttachDeps } from "./place.ts";
import type { Claim } from "./ports.ts";
import { lateWrites, removeFiles, removeRecord } from "./removal.ts";
import { chargeStudio } from "./store-bytes.ts";

/**
 * A pending asset whose bytes were PUT becomes ready on the post. In this order, so that a crash at any point leaves
 * either the pending asset with its upload or the finished one:
 * 1. the bytes that lie at the upload address now are judged;
 * 2. a fresh key, and which bytes go there, is written into the record (the claim);
 * 3. those bytes, and no others, are moved to that key;
 * 4. one transaction turns the record ready, if it still has that claim, and takes the place on the post.
 * Whoever comes after a crash between 2 and 4 finds the claim and goes on from there. The key of a claim is never
 * written to for another claim, so nothing that comes late can touch the bytes of a ready asset.
 *
 * Undefined where somebody else got ahead: look again.
 */
export async function confirmUpload(deps: AttachDeps, caller: Caller, asset: Asset, post: Post): Promise<ReadyAsset | undefined> {
  const incoming = incomingKey(asset.id);
  const found = await deps.files.stat(incoming);
  let claim = claimOf(asset);
  let passed: Passed = { size: undefined };
  if (found && found.version !== claim?.sourceVersion) {
    const verdict = await judge(deps, caller, asset, found);
    if (!verdict) return undefined;
    passed = verdict;
    const fresh = { storageKey: newFileKey(deps, asset.id), sourceVersion: found.version };
    if (!(await replaceClaim(deps, asset, fresh))) return undefined;
    claim = fresh;
  }
  if (!claim) throw noBytes(deps, asset);
  if (post.assetCount >= deps.limits.assetsPerPost) return checkFull(deps, deps, asset, post.id).catch(ifOvertaken);

  const stored = await deps.files.promote(incoming, claim.sourceVersion, claim.storageKey, asset.mimeType);
  if (stored) return makeReady(deps, caller, asset, post, { claim, stored, passed });
  // Other bytes came meanwhile, or another call took them under a newer claim. If neither, nothing was ever there.
  if (!found && (await deps.assets.find(asset.studioId, asset.id))?.storageKey === claim.storageKey) throw noBytes(deps, asset);
  return undefined;
}

function claimOf({ storageKey, sourceVersion }: Asset): Claim | undefined {
  return storageKey === null || sourceVersion === null ? undefined : { storageKey, sourceVersion };
}

/** Bytes that do not pass go, and the record with them: SPEC.md §4, `too_large` and `type_mismatch`. */
async function judge(deps: AttachDeps, caller: Caller, asset: Asset, found: StoredFile): Promise<Passed | undefined> {
  try {
    const ceiling = deps.limits[asset.kind];
    if (found.bytes > ceiling) throw tooLarge(asset, ceiling);
    return await checkBytes(sourceInStore(deps.files, incomingKey(asset.id), found.bytes), asset);
  } catch (error) {
    if (!(error instanceof AppError) || !["too_large", "type_mismatch", "invalid_input"].includes(error.code)) throw error;
    const gone = await deps
      .transact(async (tx) => {
        await removeRecord(deps, tx, asset);
        await recordActivity(deps, tx, caller, "asset.refused", asset.id, { filename: asset.filename, code: error.code });
        return true;
      })
      .catch(ifOvertaken);
    if (!gone) return undefined;
    await removeFiles(deps, asset);
    throw error;
  }
}

/** The claim before, if there was one, was for bytes that were replaced: its key is given up, though a move to it may still end. */
function replaceClaim(deps: AttachDeps, asset: Asset, fresh: Claim): Promise<boolean> {
  if (asset.storageKey === null) return deps.assets.claim(asset.id, null, fresh);
  const old = asset.storageKey;
  return deps.transact(async (tx) => {
    if (!(await tx.assets.claim(asset.id, old, fresh))) return false;
    await tx.strayFiles.doom([old], deps.clock() + lateWrites);
    return true;
  });
}

async function makeReady(
  deps: AttachDeps,
  caller: Caller,
  asset: Asset,
  post: Post,
  { claim, stored, passed }: { claim: Claim; stored: StoredFile; passed: Passed },
): Promise<ReadyAsset | undefined> {
  const facts = await learnFacts(deps, sourceInStore(deps.files, claim.storageKey, stored.bytes), asset, passed);
  return deps
    .transact(async (tx) => {
      const position = await takePlace(deps, tx, asset, post.id);
      const ready = await tx.assets.confirmOnPost(asset.id, claim, { ...stored, ...facts }, { postId: post.id, position });
      if (!ready) throw new Overtaken();
      await chargeStudio(deps, tx, asset.studioId, stored.bytes - asset.chargedBytes);
      await recordActivity(deps, tx, caller, "asset.attached", asset.id, { postId: post.id, filename: asset.filename, bytes: stored.bytes });
      return ready;
    })
    .catch(ifOvertaken);
}

const tooLarge = ({ kind }: Asset, ceiling: number): AppError =>
  new AppError(
    "too_large",
    `The file is larger than the ${ceiling} bytes that a file of kind ${kind} may have; it was deleted.`,
    "Send a smaller file with request_asset_upload, or let the person send it whole with create_upload_session.",
  );

function noBytes(deps: Pick<AttachDeps, "clock">, asset: Asset): AppError {
  if ((asset.uploadExpiresAt ?? 0) > deps.clock()) return notUploaded();
  return new AppError(
    "upload_expired",
    "Nothing was uploaded, and the upload address has expired.",
    "Ask for a new address with request_asset_upload.",
  );
}

export const notUploaded = (): AppError =>
  new AppError("not_uploaded", "Nothing was uploaded yet.", "PUT the file to its uploadUrl (curl -T file \"$uploadUrl\"), then call attach_asset again.");
