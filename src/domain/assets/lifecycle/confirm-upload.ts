import type { ErrorData } from "#lib/error-messages.ts";
import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../../activity/record.ts";
import type { Caller } from "../../caller.ts";
import { undefinedOnConflict, ConflictError } from "../../conflict.ts";
import type { Post } from "../../posts/post.ts";
import type { Asset, MediaMetadata, ReadyAsset } from "../model/asset.ts";
import { createStoredFileSource } from "../content/byte-source.ts";
import { readMediaMetadata } from "../model/media-metadata.ts";
import type { StoredFile } from "../model/file-store.ts";
import { checkContent } from "../content/check-content.ts";
import { incomingKey, createFileKey } from "../model/storage-keys.ts";
import { rejectFullPost, reservePosition, type AttachDeps } from "./positions.ts";
import type { Claim } from "../ports.ts";
import { lateWriteGrace, removeFiles, deleteRecord } from "./delete-files.ts";
import { chargeStudio } from "./store-bytes.ts";

/** A pending asset whose record says where its bytes are being moved to. */
type ClaimedAsset = Asset & Claim;

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
  const uploadedFile = await deps.files.stat(incoming);
  let claimedAsset: ClaimedAsset | undefined = isClaimed(asset) ? asset : undefined;
  if (uploadedFile && uploadedFile.version !== claimedAsset?.sourceVersion) {
    const rejection = validateSize(deps, asset, uploadedFile.bytes);
    if (rejection) return rejectUpload(deps, caller, asset, rejection);
    claimedAsset = await claimUpload(deps, asset, uploadedFile.version);
    if (!claimedAsset) return undefined;
  }
  if (!claimedAsset) return handleMissingUpload(deps, asset);
  if (post.assetCount >= deps.limits.assetsPerPost) return rejectFullPost(deps, deps, asset).catch(undefinedOnConflict);

  const storedFile = await deps.files.promote(
    incoming,
    claimedAsset.sourceVersion,
    claimedAsset.storageKey,
    asset.mimeType,
  );
  if (storedFile) return markReady(deps, caller, claimedAsset, storedFile, post);
  return uploadedFile ? undefined : handleMissingUpload(deps, claimedAsset);
}

/** Nothing was sent, unless another call took it away while we looked: then its claim stands in the record by now. */
async function handleMissingUpload(deps: AttachDeps, asset: Asset): Promise<undefined> {
  const current = await deps.assets.find(asset.studioId, asset.id);
  if (current?.status === "pending" && current.storageKey === asset.storageKey) throw missingUploadError(deps, asset);
  return undefined;
}

const isClaimed = (asset: Asset): asset is ClaimedAsset => asset.storageKey !== null && asset.sourceVersion !== null;

/** Undefined where another call claimed first. The claim before, if there was one, was for bytes that were replaced. */
async function claimUpload(deps: AttachDeps, asset: Asset, sourceVersion: string): Promise<ClaimedAsset | undefined> {
  const newClaim = { storageKey: createFileKey(deps, asset.id), sourceVersion };
  const previousKey = asset.storageKey;
  const didClaim =
    previousKey === null
      ? await deps.assets.claim(asset.id, null, newClaim)
      : await deps.transact(async (tx) => {
          if (!(await tx.assets.claim(asset.id, previousKey, newClaim))) return false;
          await tx.strayFiles.markForDeletion([previousKey], deps.clock() + lateWriteGrace);
          return true;
        });
  return didClaim ? { ...asset, ...newClaim } : undefined;
}

async function markReady(
  deps: AttachDeps,
  caller: Caller,
  asset: ClaimedAsset,
  storedFile: StoredFile,
  post: Post,
): Promise<ReadyAsset | undefined> {
  const checkResult = await checkStoredContent(deps, asset, storedFile);
  if (checkResult instanceof AppError) return rejectUpload(deps, caller, asset, checkResult);
  return deps
    .transact(async (tx) => {
      const position = await reservePosition(deps, tx, asset, post.id);
      const readyAsset = await tx.assets.confirmAndAttach(
        asset.id,
        asset,
        { ...storedFile, ...checkResult },
        { postId: post.id, position },
      );
      if (!readyAsset) throw new ConflictError();
      await chargeStudio(deps, tx, asset.studioId, storedFile.bytes - asset.chargedBytes);
      const detail = { postId: post.id, filename: asset.filename, bytes: storedFile.bytes };
      await recordActivity(deps, tx, caller, "asset.attached", asset.id, detail);
      return readyAsset;
    })
    .catch(undefinedOnConflict);
}

/** What the bytes are, or why they are refused. */
async function checkStoredContent(
  deps: AttachDeps,
  asset: ClaimedAsset,
  storedFile: StoredFile,
): Promise<MediaMetadata | AppError> {
  const source = createStoredFileSource(deps.files, asset.storageKey, storedFile.bytes);
  try {
    return await readMediaMetadata(deps, source, asset, await checkContent(source, asset));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.key === "too_large:pixels" || error.key === "type_mismatch") return toUploadError(error);
    if (error.key === "invalid_input:empty_file") return new AppError("invalid_input:empty_upload");
    throw error;
  }
}

/** The asset is deleted together with its bytes, so the next step differs from that of other uploads. */
function toUploadError({ key, data }: AppError): AppError {
  return key === "type_mismatch"
    ? new AppError("type_mismatch:upload", data as ErrorData<"type_mismatch">)
    : new AppError("too_large:upload_pixels", data as ErrorData<"too_large:pixels">);
}

/** Bytes that do not pass go, and the record with them. */
async function rejectUpload(deps: AttachDeps, caller: Caller, asset: Asset, rejection: AppError): Promise<undefined> {
  const wasRemoved = await deps
    .transact(async (tx) => {
      await deleteRecord(deps, tx, asset);
      await recordActivity(deps, tx, caller, "asset.refused", asset.id, {
        filename: asset.filename,
        code: rejection.code,
      });
      return true;
    })
    .catch(undefinedOnConflict);
  if (!wasRemoved) return undefined;
  await removeFiles(deps, asset);
  throw rejection;
}

function validateSize({ limits }: Pick<AttachDeps, "limits">, { kind }: Asset, bytes: number): AppError | undefined {
  if (bytes === 0) return new AppError("invalid_input:empty_upload");
  if (bytes <= limits[kind]) return undefined;
  return new AppError("too_large:upload", { kind, limitBytes: limits[kind] });
}

function missingUploadError(deps: Pick<AttachDeps, "clock">, asset: Asset): AppError {
  if ((asset.uploadExpiresAt ?? 0) > deps.clock()) return notUploadedError();
  return new AppError("upload_expired:url");
}

export const notUploadedError = (): AppError => new AppError("not_uploaded");
