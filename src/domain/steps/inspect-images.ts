import { seconds } from "#lib/clock.ts";
import { type Asset, isReady, type ReadyAsset } from "../model/asset.ts";
import { canBeDecoded, type ImageInspection } from "../model/renditions/plan-rendition.ts";
import { createStoredFileSource } from "../ports/byte-source.ts";
import type { Deps } from "../ports/deps.ts";
import type { ImageRequest } from "../ports/media.ts";

/** How long a call of a user waits for images to be opened. Later calls, and the worker, use what was opened meanwhile. */
export const maxCallWaitMs = seconds(1);

export type InspectDeps = Pick<Deps, "imageInspections" | "files" | "media" | "sleep" | "clock">;

type RequestOptions = Partial<Pick<ImageRequest, "isUrgent" | "signal">>;

/**
 * Returns the inspections of the images among these assets. Opens images that were never opened, and records the
 * result, so that each is opened once. Waits no longer than `maxWaitMs`; later results are recorded but not returned.
 */
export async function inspectImages(
  deps: InspectDeps,
  assets: readonly Asset[],
  maxWaitMs: number,
  options: RequestOptions = {},
): Promise<Map<string, ImageInspection>> {
  const images = assets.filter(isReady).filter(({ kind, mimeType }) => kind === "image" && canBeDecoded(mimeType));
  const inspections = await deps.imageInspections.list(images.map(({ id }) => id));
  const pendingInspections = images
    .filter(({ id }) => !inspections.has(id))
    .map(async (image) => {
      const inspection = await inspectImage(deps, image, options).catch(() => undefined);
      if (inspection) inspections.set(image.id, inspection);
    });
  if (pendingInspections.length === 0) return inspections;
  const abortController = new AbortController(); // without it, the timer of each call would run to its end
  const timeout = deps.sleep(maxWaitMs, abortController.signal);
  await Promise.race([Promise.all(pendingInspections), timeout]).finally(() => abortController.abort());
  return inspections;
}

async function inspectImage(
  deps: InspectDeps,
  image: ReadyAsset,
  { isUrgent = false, signal }: RequestOptions,
): Promise<ImageInspection | undefined> {
  const { id, storageKey, studioId } = image;
  const source = createStoredFileSource(deps.files, storageKey, image.bytes);
  const request = { key: `inspect ${storageKey}`, imageKey: storageKey, studioId, isUrgent, signal };
  const inspection = await deps.media.inspectImage(request, source);
  if (inspection) await deps.imageInspections.record(id, inspection);
  return inspection;
}
