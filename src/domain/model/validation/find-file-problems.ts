import { formatByteLimit, formatExcess } from "#lib/format-bytes.ts";
import type { AssetDetail } from "../asset.ts";
import type { ImageLimit, MediaLimit, PostLimits, VideoLimit } from "../platform-limits.ts";
import { describeRender, type ImageInspection } from "../renditions/plan-rendition.ts";
import { planForAsset } from "../renditions/plan-for-asset.ts";
import { aspectTolerance, type CropPosition } from "../renditions/plan-layout.ts";
import { formatCount } from "./find-text-problems.ts";
import type { FileProblem } from "./group-problems.ts";

type Problem = Pick<FileProblem, "code" | "one" | "many">;

/** No platform receives an image that we can't open, so these problems don't depend on a platform's limits. */
const unconditionalCodes = ["heic_unsupported", "image_unreadable", "image_too_large"];

interface ImageDetails {
  inspection?: ImageInspection | undefined;
  crop?: CropPosition | undefined;
  /** Whether the image has not been opened yet, for example because that took too long. */
  isUnchecked: boolean;
}

/** Why a platform would reject an image, or how the image is converted for it. Removing metadata is not reported. */
export function findImageProblems(
  file: AssetDetail,
  limit: ImageLimit,
  level: "rejected" | "warning",
  { inspection, crop, isUnchecked }: ImageDetails,
): FileProblem[] {
  if (file.status === "pending") return [];
  const plan = planForAsset(file, inspection, limit, crop);
  if (plan.kind === "reject") {
    const { code, reason } = plan;
    const many = pluralReasons[code] ?? "don’t fit the platform’s limits";
    return [{ level: unconditionalCodes.includes(code) ? "rejected" : level, code, file, one: reason, many }];
  }
  const uncheckedProblems = isUnchecked ? [{ ...uncheckedProblem, file }] : [];
  const description = plan.kind === "render" ? describeRender(plan) : undefined;
  if (!description) return uncheckedProblems;
  const many = `will be ${description.action}`;
  return [
    ...uncheckedProblems,
    { ...convertedProblem, file, one: `${many}, ${description.sizeText}`, many, size: description.size },
  ];
}

const convertedProblem = { level: "converted", code: "image_converted" } as const;

const uncheckedProblem = {
  level: "warning",
  code: "image_unchecked",
  one: "has not been opened yet, so it is not known whether it can be published",
  many: "have not been opened yet, so it is not known whether they can be published",
} as const;

const pluralReasons: Readonly<Record<string, string>> = {
  heic_unsupported: "can’t be converted; export them as JPEG",
  image_unreadable: "can’t be opened; export them as JPEG",
  image_too_large: "are too large to be converted; export them with fewer pixels",
  type_unsupported: "have a type that the platform doesn’t accept",
};

/** What a platform would reject about a video or document. Unlike images, they are sent without conversion. */
export function findFileProblems(file: AssetDetail, limit: MediaLimit & VideoLimit): Problem[] {
  const { kind, mimeType, bytes } = file;
  const maxBytes = limit.maxBytesByType?.[mimeType] ?? limit.maxBytes;
  const acceptedTypes = `${limit.types.join(", ")}${kind === "video" ? ", and videos are not converted" : ""}`;
  return keepProblems(
    !limit.types.includes(mimeType) && {
      code: "type_unsupported",
      one: `is ${mimeType}; the platform accepts ${acceptedTypes}`,
      many: `have a type that the platform doesn’t accept; it accepts ${acceptedTypes}`,
    },
    exceeds(bytes, maxBytes) && {
      code: "file_too_large",
      one: describeExcessSize(bytes, maxBytes),
      many: `are larger than ${formatByteLimit(maxBytes ?? 0)}, the platform’s limit`,
    },
    ...findDimensionProblems(file, limit),
    ...findDurationProblems(file, limit),
  );
}

function findDimensionProblems({ width, height }: AssetDetail, limit: VideoLimit): Problem[] {
  if (!width || !height) return [];
  const isTooWide = exceeds(width / height / (1 + aspectTolerance), limit.maxAspect);
  const isTooTall = exceeds(limit.minAspect, width / height / (1 - aspectTolerance));
  const size = `${width} × ${height} pixels`;
  const maxSize = `${limit.maxWidth ?? "any"} × ${limit.maxHeight ?? "any"}`;
  const minSize = `${limit.minWidth ?? 1} × ${limit.minHeight ?? 1}`;
  const maxPixels = formatCount(limit.maxPixels ?? Infinity);
  const direction = isTooWide ? "wide" : "tall";
  return keepProblems(
    exceeds(width * height, limit.maxPixels) && {
      code: "too_many_pixels",
      one: `is ${size}; the platform allows up to ${maxPixels} in total`,
      many: `have more than ${maxPixels} pixels, the platform’s limit`,
    },
    (exceeds(width, limit.maxWidth) || exceeds(height, limit.maxHeight)) && {
      code: "too_many_pixels",
      one: `is ${size}; the platform allows up to ${maxSize}`,
      many: `have more pixels than the platform’s limit of ${maxSize}`,
    },
    (exceeds(limit.minWidth, width) || exceeds(limit.minHeight, height)) && {
      code: "too_few_pixels",
      one: `is ${size}; the platform requires at least ${minSize}`,
      many: `have fewer than ${minSize} pixels, which the platform requires`,
    },
    (isTooWide || isTooTall) && {
      code: "aspect_ratio",
      one: `is too ${direction} for the platform`,
      many: `are too ${direction} for the platform`,
    },
  );
}

function findDurationProblems({ durationMs }: AssetDetail, { minDurationMs, maxDurationMs }: VideoLimit): Problem[] {
  const [min, max] = [formatSeconds(minDurationMs), formatSeconds(maxDurationMs)];
  return keepProblems(
    exceeds(durationMs, maxDurationMs) && {
      code: "video_too_long",
      one: `lasts ${formatSeconds(durationMs)}; the platform allows up to ${max}`,
      many: `last longer than ${max}, the platform’s limit`,
    },
    exceeds(minDurationMs, durationMs) && {
      code: "video_too_short",
      one: `lasts ${formatSeconds(durationMs)}; the platform requires at least ${min}`,
      many: `last less than ${min}, which the platform requires`,
    },
  );
}

/** Platforms accept files without alt text, but reject an alt text that is too long. */
export function findAltTextProblems(
  { altText: limit }: PostLimits,
  assets: readonly AssetDetail[],
  level: FileProblem["level"],
): FileProblem[] {
  if (!limit) return [];
  const { maxLength = Infinity, isSentForVideos = false } = limit;
  const max = formatCount(maxLength);
  return assets.flatMap((file): FileProblem[] => {
    if (file.kind !== "image" && !(file.kind === "video" && isSentForVideos)) return [];
    const length = Array.from(file.altText ?? "").length;
    if (length === 0) {
      if (file.kind !== "image") return [];
      const missingAltText = { code: "alt_text_missing", one: "has no alt text", many: "have no alt text" };
      return [{ ...missingAltText, level: "warning", file }];
    }
    if (length <= maxLength) return [];
    return [
      {
        level,
        file,
        code: "alt_text_too_long",
        one: `has an alt text of ${formatCount(length)} characters; the platform allows up to ${max}`,
        many: `have alt texts that are too long; the platform allows up to ${max} characters`,
      },
    ];
  });
}

const keepProblems = (...problems: (Problem | false)[]): Problem[] =>
  problems.filter((problem) => typeof problem === "object");

/** False if either number is unknown. */
function exceeds(value: number | null | undefined, limit: number | null | undefined): boolean {
  return typeof value === "number" && typeof limit === "number" && value > limit;
}

function describeExcessSize(bytes: number | null, maxBytes: number | undefined): string {
  const { size, limit } = formatExcess(bytes ?? 0, maxBytes ?? 0);
  return `is ${size}; the platform allows up to ${limit}`;
}

const formatSeconds = (ms: number | undefined): string => `${Math.round((ms ?? 0) / 100) / 10} s`;
