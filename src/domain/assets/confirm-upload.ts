import type { ErrorData } from "#lib/error-messages.ts";
import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import { ifOvertaken, Overtaken } from "../overtaken.ts";
import type { Post } from "../posts/post.ts";
import type { Asset, MediaFacts, ReadyAsset } from "./asset.ts";
import { sourceInStore } from "./byte-source.ts";
import { learnFacts } from "./facts.ts";
import type { StoredFile } from "./file-store.ts";
import { checkBytes } from "./gate/gate.ts";
import { incomingKey, newFileKey } from "./keys.ts";
import { checkFull, takePlace, type AttachDeps } from "./place.ts";
import type { Claim } from "./ports.ts";
import { lateWrites, removeFiles, removeRecord } from "./removal.ts";
import { chargeStudio } from "./store-bytes.ts";

/** A pending asset whose record says where its bytes are being moved to. */
type Claimed = Asset & Claim;

/**
 * A pending asset whose bytes were PUT becomes ready on the post. In this order, so that a crash at any point leaves
 * either the pending asset with its upload or the finished one:
 * 1. a fresh key, and which bytes go there, is written into the record (the claim);
 * 2. those bytes, and no others, are moved to that key, which nobody can write to;
 * 3. there they are judged: the address they came by may bring others at any moment;
 * 4. one transaction turns the record ready, if it still has that claim, and takes the place on the post.
 * Whoever comes after a crash between 1 and 4 finds the claim and goes on from there. The key of a claim is never
 * used for another claim, so nothing that comes late can touch the bytes of a ready asset.
 *
 * Undefined where somebody else got ahead: look again.
 */
export async function confirmUpload(
  deps: AttachDeps,
  caller: Caller,
  asset: Asset,
  post: Post,
): Promise<ReadyAsset | undefined> {
  const incoming = incomingKey(asset.id);
  const found = await deps.files.stat(incoming);
  let claimed: Claimed | undefined = isClaimed(asset) ? asset : undefined;
  if (found && found.version !== claimed?.sourceVersion) {
    const fault = sizeFault(deps, asset, found.bytes);
    if (fault) return refuseBytes(deps, caller, asset, fault);
    claimed = await claim(deps, asset, found.version);
    if (!claimed) return undefined;
  }
  if (!claimed) return nothingThere(deps, asset);
  if (post.assetCount >= deps.limits.assetsPerPost) return checkFull(deps, deps, asset).catch(ifOvertaken);

  const stored = await deps.files.promote(incoming, claimed.sourceVersion, claimed.storageKey, asset.mimeType);
  if (stored) return makeReady(deps, caller, claimed, stored, post);
  return found ? undefined : nothingThere(deps, claimed);
}

/** Nothing was sent, unless another call took it away while we looked: then its claim stands in the record by now. */
async function nothingThere(deps: AttachDeps, asset: Asset): Promise<undefined> {
  const current = await deps.assets.find(asset.studioId, asset.id);
  if (current?.status === "pending" && current.storageKey === asset.storageKey) throw noBytes(deps, asset);
  return undefined;
}

const isClaimed = (asset: Asset): asset is Claimed => asset.storageKey !== null && asset.sourceVersion !== null;

/** Undefined where another call claimed first. The claim before, if there was one, was for bytes that were replaced. */
async function claim(deps: AttachDeps, asset: Asset, sourceVersion: string): Promise<Claimed | undefined> {
  const fresh = { storageKey: newFileKey(deps, asset.id), sourceVersion };
  const old = asset.storageKey;
  const won =
    old === null
      ? await deps.assets.claim(asset.id, null, fresh)
      : await deps.transact(async (tx) => {
          if (!(await tx.assets.claim(asset.id, old, fresh))) return false;
          await tx.strayFiles.doom([old], deps.clock() + lateWrites);
          return true;
        });
  return won ? { ...asset, ...fresh } : undefined;
}

async function makeReady(
  deps: AttachDeps,
  caller: Caller,
  asset: Claimed,
  stored: StoredFile,
  post: Post,
): Promise<ReadyAsset | undefined> {
  const verdict = await judge(deps, asset, stored);
  if (verdict instanceof AppError) return refuseBytes(deps, caller, asset, verdict);
  return deps
    .transact(async (tx) => {
      const position = await takePlace(deps, tx, asset, post.id);
      const ready = await tx.assets.confirmOnPost(
        asset.id,
        asset,
        { ...stored, ...verdict },
        { postId: post.id, position },
      );
      if (!ready) throw new Overtaken();
      await chargeStudio(deps, tx, asset.studioId, stored.bytes - asset.chargedBytes);
      const detail = { postId: post.id, filename: asset.filename, bytes: stored.bytes };
      await recordActivity(deps, tx, caller, "asset.attached", asset.id, detail);
      return ready;
    })
    .catch(ifOvertaken);
}

/** What the bytes are, or why they are refused. */
async function judge(deps: AttachDeps, asset: Claimed, stored: StoredFile): Promise<MediaFacts | AppError> {
  const source = sourceInStore(deps.files, asset.storageKey, stored.bytes);
  try {
    return await learnFacts(deps, source, asset, await checkBytes(source, asset));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.key === "too_large:pixels" || error.key === "type_mismatch") return rejectUpload(error);
    if (error.key === "invalid_input:empty_file") return new AppError("invalid_input:empty_upload");
    throw error;
  }
}

/** The asset is deleted together with its bytes, so the next step differs from that of other uploads. */
function rejectUpload({ key, data }: AppError): AppError {
  return key === "type_mismatch"
    ? new AppError("type_mismatch:upload", data as unknown as ErrorData<"type_mismatch">)
    : new AppError("too_large:upload_pixels", data as unknown as ErrorData<"too_large:pixels">);
}

/** Bytes that do not pass go, and the record with them. */
async function refuseBytes(deps: AttachDeps, caller: Caller, asset: Asset, fault: AppError): Promise<undefined> {
  const gone = await deps
    .transact(async (tx) => {
      await removeRecord(deps, tx, asset);
      await recordActivity(deps, tx, caller, "asset.refused", asset.id, { filename: asset.filename, code: fault.code });
      return true;
    })
    .catch(ifOvertaken);
  if (!gone) return undefined;
  await removeFiles(deps, asset);
  throw fault;
}

function sizeFault({ limits }: Pick<AttachDeps, "limits">, { kind }: Asset, bytes: number): AppError | undefined {
  if (bytes === 0) return new AppError("invalid_input:empty_upload");
  if (bytes <= limits[kind]) return undefined;
  return new AppError("too_large:upload", { kind, limitBytes: limits[kind] });
}

function noBytes(deps: Pick<AttachDeps, "clock">, asset: Asset): AppError {
  if ((asset.uploadExpiresAt ?? 0) > deps.clock()) return notUploaded();
  return new AppError("upload_expired:url");
}

export const notUploaded = (): AppError => new AppError("not_uploaded");
