import { formatByteLimit, formatExcess } from "#lib/format-bytes.ts";
import type { AssetDetail } from "../assets/model/asset.ts";
import { describeRender } from "../renditions/describe-plan.ts";
import { planForAsset } from "../renditions/plan-for-asset.ts";
import type { CropPosition } from "../renditions/plan-layout.ts";
import type { ImageInspection } from "../renditions/ports.ts";
import type { FileProblem } from "./group-problems.ts";
import type { ImageLimit, MediaLimit, VideoLimit } from "./limits.ts";

type Problem = Pick<FileProblem, "code" | "one" | "many">;

/** No platform receives an image that we can't open, so these don't depend on its limits. */
const unconditionalCodes = ["heic_unsupported", "image_unreadable", "image_too_large"];

/** What happens to an image on a platform, if it is more than removing its metadata. */
export function findImageProblem(
  file: AssetDetail,
  limit: ImageLimit,
  level: "rejected" | "warning",
  { inspection, crop }: { inspection?: ImageInspection | undefined; crop?: CropPosition | undefined },
): FileProblem[] {
  if (file.status === "pending") return [];
  const plan = planForAsset(file, inspection, limit, crop);
  if (plan.kind === "reject") {
    const { code, reason } = plan;
    const many = pluralReasons[code] ?? "don't fit the platform's limits";
    return [{ level: unconditionalCodes.includes(code) ? "rejected" : level, code, file, one: reason, many }];
  }
  const description = plan.kind === "render" ? describeRender(plan) : undefined;
  if (!description) return [];
  const many = `will be ${description.action}`;
  return [{ level: "converted", code: "image_converted", file, one: `${many}, ${description.size}`, many }];
}

const pluralReasons: Readonly<Record<string, string>> = {
  heic_unsupported: "can't be converted; export them as JPEG",
  image_unreadable: "can't be opened; export them as JPEG",
  image_too_large: "are too large to be converted; export them with fewer pixels",
  type_unsupported: "have a type that the platform doesn't accept",
};

/** What a platform would reject about a video or document. They are sent as they are. */
export function findFileProblems(file: AssetDetail, limit: MediaLimit & VideoLimit): Problem[] {
  const { kind, mimeType, bytes, width, height, durationMs } = file;
  const maxBytes = limit.maxBytesByType?.[mimeType] ?? limit.maxBytes;
  const dimensions = width && height ? { width, height } : undefined;
  // Tolerate one pixel, as for images.
  const tooWide = exceeds(dimensions && (dimensions.width - 1) / (dimensions.height + 1), limit.maxAspect);
  const tooTall = exceeds(limit.minAspect, dimensions && (dimensions.width + 1) / Math.max(dimensions.height - 1, 1));
  const size = `${width} × ${height} pixels`;
  const [maxDuration, minDuration] = [formatSeconds(limit.maxDurationMs), formatSeconds(limit.minDurationMs)];
  const accepted = `${limit.types.join(", ")}${kind === "video" ? ", and videos are not converted" : ""}`;
  const problems: (Problem | false)[] = [
    !limit.types.includes(mimeType) && {
      code: "type_unsupported",
      one: `is ${mimeType}; the platform accepts ${accepted}`,
      many: `have a type that the platform doesn't accept; it accepts ${accepted}`,
    },
    exceeds(bytes, maxBytes) && {
      code: "file_too_large",
      one: describeExcessSize(bytes, maxBytes),
      many: `are larger than ${formatByteLimit(maxBytes ?? 0)}, the platform's limit`,
    },
    exceeds(dimensions && dimensions.width * dimensions.height, limit.maxPixels) && {
      code: "too_many_pixels",
      one: `is ${size}; the platform allows up to ${limit.maxPixels} in total`,
      many: `have more than ${limit.maxPixels} pixels, the platform's limit`,
    },
    (exceeds(width, limit.maxWidth) || exceeds(height, limit.maxHeight)) && {
      code: "too_many_pixels",
      one: `is ${size}; the platform allows up to ${limit.maxWidth ?? "any"} × ${limit.maxHeight ?? "any"}`,
      many: `have more pixels than the platform's limit of ${limit.maxWidth ?? "any"} × ${limit.maxHeight ?? "any"}`,
    },
    (exceeds(limit.minWidth, width) || exceeds(limit.minHeight, height)) && {
      code: "too_few_pixels",
      one: `is ${size}; the platform requires at least ${limit.minWidth ?? 1} × ${limit.minHeight ?? 1}`,
      many: `have fewer than ${limit.minWidth ?? 1} × ${limit.minHeight ?? 1} pixels, which the platform requires`,
    },
    (tooWide || tooTall) && {
      code: "aspect_ratio",
      one: `is too ${tooWide ? "wide" : "tall"} for the platform`,
      many: `are too ${tooWide ? "wide" : "tall"} for the platform`,
    },
    exceeds(durationMs, limit.maxDurationMs) && {
      code: "video_too_long",
      one: `lasts ${formatSeconds(durationMs)}; the platform allows up to ${maxDuration}`,
      many: `last longer than ${maxDuration}, the platform's limit`,
    },
    exceeds(limit.minDurationMs, durationMs) && {
      code: "video_too_short",
      one: `lasts ${formatSeconds(durationMs)}; the platform requires at least ${minDuration}`,
      many: `last less than ${minDuration}, which the platform requires`,
    },
  ];
  return problems.filter((problem) => typeof problem === "object");
}

/** False if either number is unknown. */
function exceeds(value: number | null | undefined, limit: number | null | undefined): boolean {
  return typeof value === "number" && typeof limit === "number" && value > limit;
}

function describeExcessSize(bytes: number | null, maxBytes: number | undefined): string {
  const { size, limit } = formatExcess(bytes ?? 0, maxBytes ?? 0);
  return `is ${size}; the platform allows up to ${limit}`;
}

const formatSeconds = (ms: number | undefined): string => `${Math.round((ms ?? 0) / 100) / 10} s`;
