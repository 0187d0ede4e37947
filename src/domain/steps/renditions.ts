import { Readable } from "node:stream";
import { days, seconds } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { type Asset, isReady, type ReadyAsset } from "../model/asset.ts";
import type { PlatformConnection } from "../model/connection.ts";
import { applyInstanceLimits, type ImageLimit, selectImageLimit } from "../model/platform-limits.ts";
import type { ContentAsset, PublicationContent } from "../model/publication-content.ts";
import { imageRejections, planForAsset } from "../model/renditions/plan-for-asset.ts";
import { canBeDecoded, type ImageInspection, type RenditionPlan } from "../model/renditions/plan-rendition.ts";
import { renditionKey } from "../model/storage-keys.ts";
import { type ByteSource, createBufferSource, createStoredFileSource, headBytes } from "../ports/byte-source.ts";
import type { Deps } from "../ports/deps.ts";
import type { ImageRequest } from "../ports/media.ts";
import type { FailedOutcome } from "../ports/publisher.ts";
import { fitExtension } from "./content/filename.ts";
import { detectFormat } from "./content/formats.ts";
import { readImageHeader } from "./content/image-header.ts";

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

/** The file that a platform receives instead of the file of an asset. */
export type Rendition = Pick<ContentAsset, "mimeType" | "filename" | "bytes" | "storageKey" | "width" | "height">;

/** Why there is no rendition. `busy`: creating it took too long or needed too much memory; a later attempt may succeed. */
export type MissingRendition = { kind: "rejected"; code: string; reason: string } | { kind: "busy" };

/** Increase this number when the same plan produces other bytes, so that stored renditions are no longer used. */
const converterVersion = 1;

/** Maximum previews per image. They don't count toward the quota, and every position of a crop has its own. */
const maxPreviews = 20;

const rejections = {
  ...imageRejections,
  too_large: { code: "file_too_large", reason: "can’t be made small enough for the platform" },
} as const;

/**
 * Time is divided into periods of this length, and a stored rendition is reused only in the period in which it was
 * created. Renditions are kept for a week, so a reused rendition is not deleted before the longest run ends.
 */
const reusePeriod = days(5);

/** Executes a plan, or finds the file that an earlier execution stored. */
export async function findOrCreateRendition(
  deps: Pick<Deps, "files" | "media" | "clock" | "imageInspections">,
  image: Pick<ContentAsset, "id" | "digest"> & Rendition,
  plan: RenditionPlan,
  requester: Pick<ImageRequest, "studioId" | "isUrgent" | "signal">,
): Promise<Rendition | MissingRendition> {
  const { mimeType, filename, bytes, storageKey, width, height } = image;
  if (plan.kind === "reject") return { kind: "rejected", code: plan.code, reason: plan.reason };
  if (plan.kind === "as_is") return { mimeType, filename, bytes, storageKey, width, height };
  const period = Math.floor(deps.clock() / reusePeriod);
  const hash = sha256(JSON.stringify([converterVersion, image.digest, plan, period]));
  // Previews are deleted when there are many, and a publication must not lose its file.
  const key = renditionKey(requester.isUrgent ? "renditions/" : "previews/", image.id, hash);
  const storedFile = await deps.files.stat(key);
  if (storedFile) return describeRendition(image, key, createStoredFileSource(deps.files, key, storedFile.bytes));
  const source = createStoredFileSource(deps.files, storageKey, bytes);
  const result = await deps.media.createRendition({ key, imageKey: storageKey, ...requester }, source, plan);
  if (!result) return { kind: "busy" };
  if ("problem" in result) return { kind: "rejected", ...rejections[result.problem] };
  const { content } = result;
  const writeOptions = { mimeType: result.mimeType ?? mimeType, maxBytes: content.length };
  if (!requester.isUrgent)
    for (const oldKey of await deps.imageInspections.recordPreview(image.id, key, maxPreviews))
      await deps.files.remove(oldKey);
  await deps.files.write(key, Readable.from([content]), writeOptions);
  return describeRendition(image, key, createBufferSource(content));
}

/** Reads type and dimensions from the header of the stored file, so that the database needs no record of renditions. */
async function describeRendition(
  { filename, mimeType, width, height }: Rendition,
  storageKey: string,
  source: ByteSource,
): Promise<Rendition> {
  const head = await source.read(0, headBytes);
  const type = (await detectFormat(source, head)) ?? mimeType;
  const header = await readImageHeader(source, head, type);
  return {
    mimeType: type,
    filename: fitExtension(filename, type),
    bytes: source.bytes,
    storageKey,
    width: header?.width ?? width,
    height: header?.height ?? height,
  };
}

/** Longer than opening any image takes, unless the machine is overloaded. */
const maxInspectionMs = seconds(60);

type FitDeps = Pick<Deps, "assets" | "platforms"> & InspectDeps;

/** The limits for images on this account's platform or instance; undefined if it accepts no images. */
export function getImageLimit(
  { platforms }: Pick<Deps, "platforms">,
  { platform, limits }: Pick<PlatformConnection, "platform" | "limits">,
  fileCount: number,
): ImageLimit | undefined {
  const platformLimits = platforms.find(platform)?.limits;
  const imageLimit = platformLimits && applyInstanceLimits(platformLimits, limits).images;
  return imageLimit && selectImageLimit(imageLimit, fileCount);
}

/** Adds a rendition for the account to each image of the content. Returns a failure if a rendition can't be created. */
export async function fitContent(
  deps: FitDeps,
  studioId: string,
  connection: PlatformConnection,
  content: PublicationContent,
): Promise<{ kind: "fitted"; content: PublicationContent } | FailedOutcome> {
  const limit = getImageLimit(deps, connection, content.assets.length);
  const images = content.assets.filter(({ kind }) => kind === "image");
  if (!limit || images.length === 0) return { kind: "fitted", content };
  const assets = await Promise.all(images.map(({ id }) => deps.assets.findWithTrash(studioId, id)));
  const inspections = await inspectImages(
    deps,
    assets.filter((asset) => asset !== undefined),
    maxInspectionMs,
    { isUrgent: true },
  );
  const fit = async (asset: ContentAsset): Promise<FittedAsset | FailedOutcome> => {
    if (asset.kind !== "image") return { kind: "fitted", asset };
    const message = `${asset.filename} took too long to convert`;
    const busyOutcome = { kind: "retry_later", retryAfterMs: undefined, message } as const;
    const inspection = inspections.get(asset.id);
    // An image that was not opened is not sent: its metadata may contain a location.
    if (!inspection && canBeDecoded(asset.mimeType)) return busyOutcome;
    const plan = planForAsset(asset, inspection, limit, asset.crop);
    const rendition = await findOrCreateRendition(deps, asset, plan, { studioId, isUrgent: true });
    if (!("kind" in rendition)) return { kind: "fitted", asset: { ...asset, rendition } };
    if (rendition.kind === "busy") return busyOutcome;
    const { code, reason } = rendition;
    return { kind: "rejected", code, message: `${asset.filename} ${reason}.` };
  };
  const results = await Promise.all(content.assets.map(fit));
  const failure = results.find((result) => result.kind !== "fitted");
  const fittedAssets = results.flatMap((result) => (result.kind === "fitted" ? [result.asset] : []));
  return failure ?? { kind: "fitted", content: { ...content, assets: fittedAssets } };
}

interface FittedAsset {
  kind: "fitted";
  asset: ContentAsset;
}
