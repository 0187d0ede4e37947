import { Readable } from "node:stream";
import { days } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import type { ContentAsset } from "../model/publication-content.ts";
import { imageRejections } from "../model/renditions/plan-for-asset.ts";
import type { RenditionPlan } from "../model/renditions/plan-rendition.ts";
import { renditionKey } from "../model/storage-keys.ts";
import { type ByteSource, createBufferSource, createStoredFileSource, headBytes } from "../ports/byte-source.ts";
import type { Deps } from "../ports/deps.ts";
import type { ImageRequest } from "../ports/media.ts";
import { fitExtension } from "./content/filename.ts";
import { detectFormat } from "./content/formats.ts";
import { readImageHeader } from "./content/image-header.ts";

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
