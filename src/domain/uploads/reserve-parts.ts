import { minutes, seconds } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { isUploading } from "../assets/model/asset.ts";
import { getPartLength, type MultipartFile } from "../assets/model/file-store.ts";
import { chargeStudio, checkQuota } from "../assets/lifecycle/store-bytes.ts";
import type { Deps, Stores } from "../deps.ts";
import { ConflictError, undefinedOnConflict } from "../conflict.ts";
import { fileGone, type UploadInProgress } from "./file-view.ts";
import type { UploadCaller } from "./upload-link.ts";
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

const bytesOfParts = (file: MultipartFile, parts: readonly number[]): number =>
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

type Needs = Pick<Deps, "uploads" | "assets" | "transact" | "files" | "clock" | "limits">;

/** How often the other files of a link are counted while one waits for them. */
const countInterval = seconds(2);

/**
 * Reserves quota for parts that are about to be sent: for the whole file where the link may hold that much, otherwise
 * for as many of the parts as it may. Returns the parts that can be sent now; undefined where the file has changed since
 * it was read.
 */
export async function reserveParts(
  deps: Needs,
  visitor: UploadCaller,
  file: UploadFile,
  { asset, multipartFile: parted }: UploadInProgress,
  parts: readonly number[],
): Promise<readonly number[] | undefined> {
  if (asset.chargedBytes >= file.bytes) return parts;
  const { link, studio } = visitor;
  const arrived = await deps.files.parts.list(parted);
  if (!arrived) throw fileGone();
  const receivedBytes = bytesOfParts(parted, arrived);
  // Fail early: a file whose rest does not fit would never be complete. `chargeStudio` is the authority.
  await checkQuota(deps, studio.id, file.bytes - Math.max(asset.chargedBytes, receivedBytes));

  const goals = goalsFor(parted, arrived, parts);
  const reserve = () =>
    deps.transact(async (tx) => {
      const room = reservationLimit(deps) - (await tx.uploads.heldBytesForUpdate(link.id, asset.id));
      const goal = goals.find(({ bytes }) => bytes <= asset.chargedBytes || bytes - receivedBytes <= room);
      if (!goal || goal.bytes <= asset.chargedBytes) return goal?.parts;
      if (!(await tx.assets.changeCharge(asset.id, asset.chargedBytes, goal.bytes))) throw new ConflictError();
      const now = deps.clock();
      // More bytes are no sign of life: only a part that arrives, or a first reservation, starts the ten minutes anew.
      const isFirst = asset.chargedBytes <= file.receivedBytes;
      const partAt = isFirst || receivedBytes > file.receivedBytes ? now : file.partAt;
      await tx.uploads.noteReceived(asset.id, { receivedBytes, partAt, countedAt: now });
      await chargeStudio(deps, tx, studio.id, goal.bytes - asset.chargedBytes);
      return goal.parts;
    });
  try {
    const reserved = (await reserve()) ?? ((await countOthers(deps, link.id, asset.id)) && (await reserve()));
    if (reserved) return reserved;
  } catch (error) {
    return undefinedOnConflict(error);
  }
  throw new AppError("rate_limited:link", undefined, { retryAfter: 5 });
}

interface Goal {
  /** What the file is charged for then. */
  bytes: number;
  parts: readonly number[];
}

/**
 * The whole file first, then ever fewer of the parts. Parts count from the start of the file up to the last one that is
 * sent, which covers every URL that was handed out before.
 */
function goalsFor(file: MultipartFile, arrived: readonly number[], wanted: readonly number[]): Goal[] {
  const parts = [...new Set(wanted)].toSorted((a, b) => a - b);
  const upTo = (last: number): number =>
    (last - 1) * file.partBytes +
    getPartLength(file, last) +
    bytesOfParts(
      file,
      arrived.filter((part) => part > last),
    );
  const some = parts.map((last, i) => ({ bytes: upTo(last), parts: parts.slice(0, i + 1) }));
  return [{ bytes: file.bytes, parts }, ...some.toReversed()];
}

/** What has arrived of the link's other files is not reserved any more. False where they were counted just now. */
async function countOthers(deps: Needs, linkId: string, assetId: string): Promise<boolean> {
  const countedBefore = deps.clock() - countInterval;
  const others = (await deps.uploads.listFiles(linkId)).filter(
    ({ asset, countedAt }) => asset.id !== assetId && asset.status === "pending" && countedAt <= countedBefore,
  );
  for (const other of others) await countReceived(deps, other);
  return others.length > 0;
}
