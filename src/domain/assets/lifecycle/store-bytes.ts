import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../../deps.ts";
import type { Asset, MediaMetadata } from "../model/asset.ts";
import type { StoredFile } from "../model/file-store.ts";

/** Longer than any write takes. The sweeper removes the bytes of a reserved key that no asset claims in this time. */
const reservationLifetime = hours(1);

/**
 * Runs `work`, which must call `reserve` before bytes are visible at the new key, and then insert the asset and claim
 * the key in one transaction. If `work` fails, the bytes are deleted at once if possible, or else by the sweeper.
 */
export async function withReservedKey<T>(
  deps: Pick<Deps, "strayFiles" | "files" | "clock">,
  key: string,
  work: (reserve: () => Promise<void>) => Promise<T>,
): Promise<T> {
  try {
    return await work(() => deps.strayFiles.reserve(key, deps.clock() + reservationLifetime));
  } catch (error) {
    // If the store is unavailable, a deletion would make the caller wait again, so it is left to the sweeper. If the
    // database fails, too, the sweeper acts when the reservation expires.
    if (error instanceof AppError && error.code === "storage_unavailable")
      await deps.strayFiles.markForDeletion([key], deps.clock()).catch(() => {});
    else await discardReservedKey(deps, key);
    throw error;
  }
}

/** Removes the bytes at a reserved key. Never throws. */
export async function discardReservedKey(
  deps: Pick<Deps, "strayFiles" | "files" | "clock">,
  key: string,
): Promise<void> {
  try {
    await deps.strayFiles.markForDeletion([key], deps.clock());
    await deps.files.remove(key);
    await deps.strayFiles.deleteRecords([key]);
  } catch {
    // The key is still reserved or marked for deletion, so the sweeper removes the bytes.
  }
}

/** Inserts an asset whose bytes are already stored at a reserved key. */
export async function insertReadyAsset(deps: Pick<Deps, "limits">, tx: Stores, asset: Asset): Promise<void> {
  if (!(await tx.strayFiles.claimForAsset(asset.storageKey ?? ""))) {
    throw new AppError("storage_unavailable:slow");
  }
  await tx.assets.insert(asset);
  await chargeStudio(deps, tx, asset.studioId, asset.chargedBytes);
}

/** Charges bytes to the studio's quota. Parallel calls wait for each other. Refunds (negative bytes) always succeed. */
export async function chargeStudio(
  deps: Pick<Deps, "limits">,
  tx: Pick<Stores, "assets">,
  studioId: string,
  bytes: number,
): Promise<void> {
  const limit = bytes > 0 ? deps.limits.studioBytes : undefined;
  if (!(await tx.assets.charge(studioId, bytes, limit))) throw quotaExceededError(deps);
}

/** Fails early, before bytes are stored. `chargeStudio` is the authority. */
export async function checkQuota(
  deps: Pick<Deps, "limits" | "assets">,
  studioId: string,
  bytes: number,
): Promise<void> {
  const { studioBytes } = deps.limits;
  if (studioBytes === undefined) return;
  if ((await deps.assets.getUsedBytes(studioId)) + bytes > studioBytes) throw quotaExceededError(deps);
}

const quotaExceededError = ({ limits }: Pick<Deps, "limits">): AppError =>
  new AppError("quota_exceeded:studio", { limitBytes: limits.studioBytes ?? 0 });

export function toStoredFields(
  storageKey: string,
  { bytes, version, sha256 }: StoredFile,
  metadata: MediaMetadata,
): Pick<Asset, "storageKey" | "bytes" | "version" | "sha256" | "chargedBytes"> & MediaMetadata {
  return { storageKey, bytes, version, sha256, chargedBytes: bytes, ...metadata };
}
