import { z } from "zod";
import { hours, minutes, seconds, toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { changeCharge } from "../changes/insert-asset.ts";
import { checkQuota } from "../changes/quota.ts";
import { getMultipartUpload, isUploading } from "../model/asset.ts";
import { ConflictError, undefinedOnConflict } from "../model/conflict.ts";
import type { UploadFile } from "../model/upload.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { getPartLength, isValidPart, type MultipartFile } from "../ports/file-store.ts";
import { getFile, toUploadInProgress, type UploadInProgress } from "./files.ts";
import type { UploadCaller } from "./upload-link.ts";

const gibibyte = 1024 ** 3;
/** How long bytes stay reserved for a file while no part arrives. */
export const idleLimit = minutes(10);

/** How much of the quota one link may reserve for bytes that have not arrived; unlimited without a quota. */
export function getReservationLimit({ limits: { studioBytes } }: Pick<Deps, "limits">): number {
  return studioBytes === undefined ? Infinity : Math.max(gibibyte, Math.floor(studioBytes / 10));
}

/**
 * How many bytes a new file reserves: all of them, or none if all would exceed the link's limit. In that case,
 * `reserveParts` reserves them part by part.
 */
export async function computeInitialReservation(
  deps: Pick<Deps, "limits">,
  tx: Tx,
  linkId: string,
  bytes: number,
): Promise<number> {
  const limit = getReservationLimit(deps);
  if (limit === Infinity) return bytes;
  return (await tx.uploads.sumReservedBytesForUpdate(linkId)) + bytes <= limit ? bytes : 0;
}

const sumPartBytes = (file: MultipartFile, parts: readonly number[]): number =>
  parts.reduce((sum, part) => sum + getPartLength(file, part), 0);

/**
 * Counts the received bytes of a file. If no part has arrived for ten minutes, only the received bytes stay
 * charged; the missing bytes are reserved again when the upload resumes.
 */
export async function countReceivedBytes(
  deps: Pick<Deps, "uploads" | "transact" | "files" | "clock" | "limits">,
  { asset, bytes, partBytes, ...previous }: UploadFile,
): Promise<void> {
  if (!isUploading(asset)) return;
  const file: MultipartFile = { ...getMultipartUpload(asset), bytes, partBytes };
  const receivedBytes = sumPartBytes(file, (await deps.files.parts.list(file)) ?? []);
  const now = deps.clock();
  const lastPartAt = receivedBytes > previous.receivedBytes ? now : previous.lastPartAt;
  const isIdle = now - lastPartAt >= idleLimit;
  const chargedBytes = isIdle ? receivedBytes : Math.max(asset.chargedBytes, receivedBytes);
  await deps.uploads.recordReceived(asset.id, { receivedBytes, lastPartAt, countedAt: now });
  if (chargedBytes === asset.chargedBytes) return;
  await deps
    .transact({ job: "count received bytes" }, (tx) => changeCharge(deps, tx, asset, chargedBytes))
    .catch((error: unknown) => {
      // Bytes that arrive after their reservation was released may exceed the quota. `completeFile` reports that.
      if (!(error instanceof ConflictError) && !(error instanceof AppError && error.code === "quota_exceeded"))
        throw error;
    });
}

type ReserveDeps = Pick<Deps, "uploads" | "assets" | "transact" | "files" | "clock" | "limits">;

/** Minimum time between two counts of a file, when another file of the link waits for the quota reserved for it. */
const countInterval = seconds(2);

/**
 * Reserves quota before parts are sent: for the whole file if the limit of the link allows it, otherwise for as many of
 * the parts as fit. Returns the parts that can be sent now; undefined if the file has changed since it was read.
 */
export async function reserveParts(
  deps: ReserveDeps,
  caller: UploadCaller,
  file: UploadFile,
  { asset, multipartFile }: UploadInProgress,
  parts: readonly number[],
): Promise<readonly number[] | undefined> {
  if (asset.chargedBytes >= file.bytes) return parts;
  const { link, studio } = caller;
  const arrivedParts = await deps.files.parts.list(multipartFile);
  if (!arrivedParts) throw notFoundError("upload");
  const receivedBytes = sumPartBytes(multipartFile, arrivedParts);
  // Fail early if the rest of the file does not fit in the quota. `changeCharge` is the authority.
  await checkQuota(deps, studio.id, file.bytes - Math.max(asset.chargedBytes, receivedBytes));

  const reservations = listReservations(multipartFile, arrivedParts, parts);
  const tryReserve = () =>
    deps.transact(caller, async (tx) => {
      const availableBytes =
        getReservationLimit(deps) - (await tx.uploads.sumReservedBytesForUpdate(link.id, asset.id));
      const reservation = reservations.find(
        ({ bytes }) => bytes <= asset.chargedBytes || bytes - receivedBytes <= availableBytes,
      );
      if (!reservation || reservation.bytes <= asset.chargedBytes) return reservation?.parts;
      await changeCharge(deps, tx, asset, reservation.bytes);
      const now = deps.clock();
      // Only a new part or the first reservation resets the idle limit; reserving more bytes does not.
      const isFirstReservation = asset.chargedBytes <= file.receivedBytes;
      const lastPartAt = isFirstReservation || receivedBytes > file.receivedBytes ? now : file.lastPartAt;
      await tx.uploads.recordReceived(asset.id, { receivedBytes, lastPartAt, countedAt: now });
      return reservation.parts;
    });
  try {
    let reservedParts = await tryReserve();
    if (!reservedParts && (await countOtherFiles(deps, link.id, asset.id))) reservedParts = await tryReserve();
    if (reservedParts) return reservedParts;
  } catch (error) {
    return undefinedOnConflict(error);
  }
  throw new AppError("rate_limited:link", undefined, { retryAfter: 5 });
}

interface Reservation {
  /** Total bytes charged for the file with this reservation. */
  bytes: number;
  parts: readonly number[];
}

/**
 * Possible reservations, largest first: the whole file, then fewer and fewer of the parts. Each charges all parts up to
 * its last one, because their URLs may have been issued earlier, and later parts that have arrived.
 */
function listReservations(
  file: MultipartFile,
  arrivedParts: readonly number[],
  requestedParts: readonly number[],
): Reservation[] {
  const parts = [...new Set(requestedParts)].toSorted((a, b) => a - b);
  const sumBytesToCharge = (lastPart: number): number =>
    (lastPart - 1) * file.partBytes +
    getPartLength(file, lastPart) +
    sumPartBytes(
      file,
      arrivedParts.filter((part) => part > lastPart),
    );
  const partialReservations = parts.map((lastPart, i) => ({
    bytes: sumBytesToCharge(lastPart),
    parts: parts.slice(0, i + 1),
  }));
  return [{ bytes: file.bytes, parts }, ...partialReservations.toReversed()];
}

/** Counts the link's other files, so that bytes that have arrived release their reservation. False if none was due. */
async function countOtherFiles(deps: ReserveDeps, linkId: string, assetId: string): Promise<boolean> {
  const countedBefore = deps.clock() - countInterval;
  const otherFiles = (await deps.uploads.listFiles(linkId)).filter(
    ({ asset, countedAt }) => asset.id !== assetId && asset.status === "pending" && countedAt <= countedBefore,
  );
  for (const file of otherFiles) await countReceivedBytes(deps, file);
  return otherFiles.length > 0;
}

/** Long enough for a part on a slow connection, short enough to limit the damage of a leaked URL. */
export const partUrlLifetime = hours(1);

const maxAttempts = 10;

export const partUrlsInput = z.strictObject({
  parts: z.array(z.number().int().min(1)).min(1).max(100),
});

export interface PartUrls {
  /**
   * Can be only the lowest-numbered of the requested parts. Request the others again when the link can reserve more of
   * the quota.
   */
  urls: { part: number; url: string }[];
  expiresAt: string;
}

/** Reserves quota for these parts and returns URLs to PUT them to. */
export async function createPartUrls(
  deps: Pick<Deps, "uploads" | "assets" | "transact" | "files" | "clock" | "limits">,
  caller: UploadCaller,
  input: z.infer<typeof partUrlsInput> & { fileId: string },
): Promise<PartUrls> {
  authorize(caller, "assets.write");
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const file = await getFile(deps, caller, input.fileId);
    const upload = toUploadInProgress(deps, file);
    if (!upload) throw new AppError("already_attached:file");
    if (!input.parts.every((part) => isValidPart(upload.multipartFile, part))) throw new AppError("invalid_input:part");
    const parts = await reserveParts(deps, caller, file, upload, input.parts);
    if (!parts) continue;
    const expiresAt = Math.min(deps.clock() + partUrlLifetime, upload.asset.uploadExpiresAt);
    const partUrls = parts.map(async (part) => ({
      part,
      url: await deps.files.parts.createPartUrl(upload.multipartFile, part, expiresAt),
    }));
    return { urls: await Promise.all(partUrls), expiresAt: toIsoTime(expiresAt) };
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}
