import { minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { isUploading } from "../assets/asset.ts";
import { getPartLength, type MultipartFile } from "../assets/part-store.ts";
import { chargeStudio } from "../assets/store-bytes.ts";
import type { Deps, Stores } from "../deps.ts";
import { ConflictError } from "../overtaken.ts";
import type { UploadFile } from "./ports.ts";

const gibibyte = 1024 ** 3;
/** How long bytes stay reserved for a file of which no part arrives. */
export const idleLimit = minutes(10);

/** How much of the quota one link may hold for bytes that have not arrived. Without a quota there is no limit. */
export function reservationLimit({ limits: { studioBytes } }: Pick<Deps, "limits">): number {
  return studioBytes === undefined ? Infinity : Math.max(gibibyte, Math.floor(studioBytes / 10));
}

/** What a new file reserves: all of its bytes, or none where that is more than the link may hold (`reserveParts`). */
export async function firstReservation(
  deps: Pick<Deps, "limits">,
  tx: Pick<Stores, "uploads">,
  linkId: string,
  bytes: number,
): Promise<number> {
  const limit = reservationLimit(deps);
  if (limit === Infinity) return bytes;
  return (await tx.uploads.heldBytesForUpdate(linkId)) + bytes <= limit ? bytes : 0;
}

export const bytesOfParts = (file: MultipartFile, parts: readonly number[]): number =>
  parts.reduce((sum, part) => sum + getPartLength(file, part), 0);

/**
 * Counts what has arrived of a file. If no part has arrived for ten minutes, only those bytes stay charged; the rest is
 * reserved again when the upload resumes.
 */
export async function countReceived(
  deps: Pick<Deps, "uploads" | "transact" | "files" | "clock" | "limits">,
  { asset, bytes, partBytes, ...before }: UploadFile,
): Promise<void> {
  if (!isUploading(asset)) return;
  const file: MultipartFile = { key: asset.storageKey, id: asset.sourceVersion, bytes, partBytes };
  const receivedBytes = bytesOfParts(file, (await deps.files.parts.list(file)) ?? []);
  const now = deps.clock();
  const partAt = receivedBytes > before.receivedBytes ? now : before.partAt;
  const isIdle = now - partAt >= idleLimit;
  const chargedBytes = isIdle ? receivedBytes : Math.max(asset.chargedBytes, receivedBytes);
  await deps.uploads.noteReceived(asset.id, { receivedBytes, partAt, countedAt: now });
  if (chargedBytes === asset.chargedBytes) return;
  await deps
    .transact(async (tx) => {
      if (!(await tx.assets.changeCharge(asset.id, asset.chargedBytes, chargedBytes))) throw new ConflictError();
      await chargeStudio(deps, tx, asset.studioId, chargedBytes - asset.chargedBytes);
    })
    .catch((error: unknown) => {
      // Bytes that arrived after their reservation ended may not fit in the quota: then completing the file says so.
      if (!(error instanceof ConflictError) && !(error instanceof AppError && error.code === "quota_exceeded"))
        throw error;
    });
}
