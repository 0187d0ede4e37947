import { hours, minutes } from "#lib/clock.ts";
import type { Deps } from "../ports/deps.ts";
import { removeAssets } from "../steps/delete-files.ts";
import { type BatchOptions, isolateStudios, runInBatches } from "../steps/run-in-batches.ts";
import { partUrlLifetime } from "../uploads/create-part-urls.ts";
import { countReceivedBytes, idleLimit } from "../uploads/reserve-parts.ts";
import { maxUploadDuration } from "../uploads/upload-link.ts";

const batchSize = 100;

type SweepDeps = Pick<Deps, "uploads" | "strayFiles" | "transact" | "files" | "clock">;

/**
 * Deletes uploads of links that are no longer valid, to release their positions, and aborts multipart uploads without a
 * record. `createAssetSweeper` deletes uploads that did not finish within 24 hours. If an upload can't be deleted,
 * continues with those of other studios and then throws the error.
 */
export async function sweepUploads(
  deps: SweepDeps,
  options: BatchOptions,
): Promise<{ abandoned: number; unknown: number }> {
  const { processEach, throwFirstError } = isolateStudios();
  let lastId = "";
  const abandoned = await runInBatches(options, batchSize, async () => {
    const assets = await deps.uploads.listAbandoned(lastId, batchSize);
    lastId = assets.at(-1)?.id ?? lastId;
    return processEach(assets, (asset) => removeAssets(deps, [asset]));
  });
  // No record of an upload is this old, so only uploads without a record are aborted.
  const unknown = await deps.files.parts.sweep(deps.clock() - maxUploadDuration - hours(2));
  throwFirstError();
  return { abandoned, unknown };
}

/**
 * Counts the received bytes of uploading files and releases the reservations of idle ones. A released file is still
 * counted while its part URLs are valid.
 */
export async function releaseIdleUploads(
  deps: Pick<Deps, "uploads" | "transact" | "files" | "clock" | "limits">,
  options: BatchOptions,
): Promise<void> {
  if (deps.limits.studioBytes === undefined) return;
  await runInBatches(options, batchSize, async () => {
    const now = deps.clock();
    const files = await deps.uploads.listDueForCounting({
      countedBefore: now - minutes(1),
      activeSince: now - idleLimit - partUrlLifetime - minutes(5),
      limit: batchSize,
    });
    for (const file of files) await countReceivedBytes(deps, file);
    return files.length;
  });
}
