import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Asset, MediaMetadata } from "../model/asset.ts";
import type { Deps } from "../ports/deps.ts";
import type { StoredFile } from "../ports/file-store.ts";

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

export function toStoredFields(
  storageKey: string,
  { bytes, version, sha256 }: StoredFile,
  metadata: MediaMetadata,
): Pick<Asset, "storageKey" | "bytes" | "version" | "sha256" | "chargedBytes"> & MediaMetadata {
  return { storageKey, bytes, version, sha256, chargedBytes: bytes, ...metadata };
}
