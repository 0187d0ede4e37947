import { seconds } from "#lib/clock.ts";
import type { PlatformConnection } from "../model/connection.ts";
import { applyInstanceLimits, type ImageLimit, selectImageLimit } from "../model/platform-limits.ts";
import type { ContentAsset, PublicationContent } from "../model/publication-content.ts";
import { planForAsset } from "../model/renditions/plan-for-asset.ts";
import { canBeDecoded } from "../model/renditions/plan-rendition.ts";
import type { Deps } from "../ports/deps.ts";
import type { FailedOutcome } from "../ports/publisher.ts";
import { findOrCreateRendition } from "./find-or-create-rendition.ts";
import { type InspectDeps, inspectImages } from "./inspect-images.ts";

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
