import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../../deps.ts";
import type { Asset, MediaMetadata } from "../model/asset.ts";
import type { StoredFile } from "../model/file-store.ts";

/** Longer than any write of ours may take. */
const reservationLifetime = hours(1);

/**
 * Writes bytes to a key that no asset has yet. The key is noted first, so that bytes whose asset never came to be
 * are found and removed; `work` makes the asset, and takes the key, in one transaction.
 */
export async function withReservedKey<T>(
  deps: Pick<Deps, "strayFiles" | "files" | "clock">,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  await deps.strayFiles.reserve(key, deps.clock() + reservationLifetime);
  try {
    return await work();
  } catch (error) {
    // A store that has just let us down would keep the caller waiting once more: the sweeper asks it later.
    if (error instanceof AppError && error.code === "storage_unavailable") await markForDeletion(deps, key);
    else await discardReservedKey(deps, key);
    throw error;
  }
}

async function markForDeletion(deps: Pick<Deps, "strayFiles" | "clock">, key: string): Promise<void> {
  await deps.strayFiles.markForDeletion([key], deps.clock()).catch(() => {}); // it is noted, and goes when its hour is over
}

/** The bytes at a reserved key are not wanted after all. */
export async function discardReservedKey(
  deps: Pick<Deps, "strayFiles" | "files" | "clock">,
  key: string,
): Promise<void> {
  try {
    await deps.strayFiles.markForDeletion([key], deps.clock());
    await deps.files.remove(key);
    await deps.strayFiles.deleteRecords([key]);
  } catch {
    // The key is noted: the sweeper does it.
  }
}

/** A new asset whose bytes lie at a reserved key: ready at once, and on no post. */
export async function insertReadyAsset(deps: Pick<Deps, "limits">, tx: Stores, asset: Asset): Promise<void> {
  if (!(await tx.strayFiles.claim(asset.storageKey ?? ""))) {
    throw new AppError("storage_unavailable:slow");
  }
  await tx.assets.insert(asset);
  await chargeStudio(deps, tx, asset.studioId, asset.chargedBytes);
}

/** Counts bytes against the studio's quota. The one statement that all parallel uploads queue on. Giving back always works. */
export async function chargeStudio(
  deps: Pick<Deps, "limits">,
  tx: Pick<Stores, "assets">,
  studioId: string,
  bytes: number,
): Promise<void> {
  const limit = bytes > 0 ? deps.limits.studioBytes : undefined;
  if (!(await tx.assets.charge(studioId, bytes, limit))) throw quotaExceededError(deps);
}

/** A look ahead, so that no bytes are sent in vain; what counts is `chargeStudio`. */
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

/** The columns of an asset that say which bytes it is. */
export function toStoredColumns(
  storageKey: string,
  { bytes, version, sha256 }: StoredFile,
  metadata: MediaMetadata,
): Pick<Asset, "storageKey" | "bytes" | "version" | "sha256" | "chargedBytes"> & MediaMetadata {
  return { storageKey, bytes, version, sha256, chargedBytes: bytes, ...metadata };
}
