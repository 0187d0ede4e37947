import type { ErrorData } from "#lib/error-messages.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { ClaimedAsset } from "../changes/confirm-asset.ts";
import { throwPostFull } from "../changes/quota.ts";
import type { Asset, ReadyAsset } from "../model/asset.ts";
import { ConflictError } from "../model/conflict.ts";
import type { Post } from "../model/post.ts";
import { createFileKey, incomingKey, lateWriteGrace } from "../model/storage-keys.ts";
import type { Deps } from "../ports/deps.ts";
import type { StoredFile } from "../ports/file-store.ts";
import { confirmStoredFile, rejectUpload } from "../steps/confirm-stored-file.ts";
import { checkContent } from "../steps/content/check-content.ts";

export type AttachDeps = Pick<
  Deps,
  | "assets"
  | "platforms"
  | "posts"
  | "uploadClaims"
  | "strayFiles"
  | "transact"
  | "files"
  | "media"
  | "newId"
  | "newSecret"
  | "clock"
  | "limits"
>;

/**
 * Turns a pending asset whose bytes were uploaded into a ready asset on the post. The order of the steps ensures that
 * a crash leaves either the pending asset with its upload or the ready asset:
 * 1. Write a claim into the record: a new file key and the version of the uploaded bytes.
 * 2. Promote exactly those bytes to that key, which clients can't write to.
 * 3. Check the content there, because the client can still overwrite the incoming key.
 * 4. In one transaction, mark the record ready if it still has the claim, and reserve the position on the post.
 * A call after a crash between 1 and 4 resumes from the claim. The key of a claim is never reused, so a promotion that
 * finishes late can't change the bytes of a ready asset.
 *
 * Throws `ConflictError` if a parallel call changed the asset first.
 */
export async function confirmPresignedUpload(
  deps: AttachDeps,
  caller: Caller,
  asset: Asset,
  post: Post,
): Promise<ReadyAsset> {
  const uploadKey = incomingKey(asset.id);
  const uploadedFile = await deps.files.stat(uploadKey);
  let claimedAsset: ClaimedAsset | undefined = isClaimed(asset) ? asset : undefined;
  if (uploadedFile && uploadedFile.version !== claimedAsset?.sourceVersion) {
    const rejection = findSizeError(deps, asset, uploadedFile.bytes);
    if (rejection) return rejectUpload(deps, caller, asset, rejection);
    claimedAsset = await claimUpload(deps, caller, asset, uploadedFile.version);
  }
  if (!claimedAsset) return throwMissingUpload(deps, asset);
  if (post.assetCount >= deps.limits.assetsPerPost) return throwPostFull(deps, asset);

  const { sourceVersion, storageKey } = claimedAsset;
  // An earlier call may have promoted and checked the file. Other bytes can have the same version on S3 (MD5), so a
  // second promotion could replace it.
  const promotedFile = storageKey === asset.storageKey ? await deps.files.stat(storageKey) : undefined;
  const storedFile = promotedFile ?? (await deps.files.promote(uploadKey, sourceVersion, storageKey, asset.mimeType));
  if (storedFile) return confirmPromotedFile(deps, caller, claimedAsset, storedFile, post);
  if (uploadedFile) throw new ConflictError(); // a parallel call removed it
  return throwMissingUpload(deps, claimedAsset);
}

/** Throws `ConflictError` instead if a parallel call gave the asset another claim, made it ready or deleted it. */
async function throwMissingUpload(deps: AttachDeps, asset: Asset): Promise<never> {
  const currentAsset = await deps.assets.find(asset.studioId, asset.id);
  if (currentAsset?.status === "pending" && currentAsset.storageKey === asset.storageKey)
    throw new AppError((asset.uploadExpiresAt ?? 0) > deps.clock() ? "not_uploaded" : "upload_expired:url");
  throw new ConflictError();
}

const isClaimed = (asset: Asset): asset is ClaimedAsset => asset.storageKey !== null && asset.sourceVersion !== null;

/** A previous claim is for bytes that the client has overwritten. */
async function claimUpload(
  deps: AttachDeps,
  caller: Caller,
  asset: Asset,
  sourceVersion: string,
): Promise<ClaimedAsset> {
  const newClaim = { storageKey: createFileKey(deps, asset.id), sourceVersion };
  const previousKey = asset.storageKey;
  const didClaim =
    previousKey === null
      ? await deps.uploadClaims.claim(asset.id, null, newClaim)
      : await deps.transact(caller, async (tx) => {
          if (!(await tx.uploadClaims.claim(asset.id, previousKey, newClaim))) return false;
          await tx.strayFiles.markForDeletion([previousKey], deps.clock() + lateWriteGrace);
          return true;
        });
  if (!didClaim) throw new ConflictError();
  return { ...asset, ...newClaim };
}

function confirmPromotedFile(
  deps: AttachDeps,
  caller: Caller,
  asset: ClaimedAsset,
  storedFile: StoredFile,
  post: Post,
): Promise<ReadyAsset> {
  return confirmStoredFile(deps, caller, asset, storedFile, {
    async checkFile(source) {
      const { kind, mimeType, filename } = asset;
      return { ...(await checkContent(source, asset).catch(throwAsUploadError)), kind, mimeType, filename };
    },
    editor: caller,
    postId: post.id,
  });
}

/** A rejected presigned upload is deleted with its asset, so its errors have their own messages and hints. */
function throwAsUploadError(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  switch (error.key) {
    case "type_mismatch":
      throw new AppError("type_mismatch:upload", error.data as ErrorData<"type_mismatch">);
    case "too_large:pixels":
      throw new AppError("too_large:upload_pixels", error.data as ErrorData<"too_large:pixels">);
    case "invalid_input:empty_file":
      throw new AppError("invalid_input:empty_upload");
    default:
      throw error;
  }
}

function findSizeError({ limits }: Pick<AttachDeps, "limits">, { kind }: Asset, bytes: number): AppError | undefined {
  if (bytes === 0) return new AppError("invalid_input:empty_upload");
  if (bytes <= limits[kind]) return undefined;
  return new AppError("too_large:upload", { kind, limitBytes: limits[kind] });
}
