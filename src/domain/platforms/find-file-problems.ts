import { formatExcess } from "#lib/format-bytes.ts";
import type { AssetDetail } from "../assets/model/asset.ts";
import type { ImageLimit, MediaLimit, VideoLimit } from "./limits.ts";

export interface ProblemDetail {
  code: string;
  message: string;
  assetId?: string;
}

/** What a platform would reject about one file. */
export function findFileProblems(file: AssetDetail, limit: MediaLimit & ImageLimit & VideoLimit): ProblemDetail[] {
  const { mimeType, bytes, width, height, durationMs } = file;
  const maxBytes = limit.maxBytesByType?.[mimeType] ?? limit.maxBytes;
  const dimensions = width && height ? { width, height } : undefined;
  // Tolerate one pixel: 1200 × 628 is commonly used for 1.91:1.
  const tooWide = exceeds(dimensions && (dimensions.width - 1) / (dimensions.height + 1), limit.maxAspect);
  const tooTall = exceeds(limit.minAspect, dimensions && (dimensions.width + 1) / Math.max(dimensions.height - 1, 1));
  return [
    limit.types.includes(mimeType)
      ? undefined
      : describeFileProblem(file, "type_unsupported", `is ${mimeType}; the platform accepts ${limit.types.join(", ")}`),
    exceeds(bytes, maxBytes) && describeFileProblem(file, "file_too_large", describeExcessSize(bytes, maxBytes)),
    exceeds(dimensions && dimensions.width * dimensions.height, limit.maxPixels) &&
      describeFileProblem(
        file,
        "too_many_pixels",
        `is ${width} × ${height} pixels; the platform allows up to ${limit.maxPixels} in total`,
      ),
    (exceeds(width, limit.maxWidth) || exceeds(height, limit.maxHeight)) &&
      describeFileProblem(
        file,
        "too_many_pixels",
        `is ${width} × ${height} pixels; the platform allows up to ${limit.maxWidth ?? "any"} × ${limit.maxHeight ?? "any"}`,
      ),
    (exceeds(limit.minWidth, width) || exceeds(limit.minHeight, height)) &&
      describeFileProblem(
        file,
        "too_few_pixels",
        `is ${width} × ${height} pixels; the platform requires at least ${limit.minWidth ?? 1} × ${limit.minHeight ?? 1}`,
      ),
    (tooWide || tooTall) &&
      describeFileProblem(file, "aspect_ratio", `is too ${tooWide ? "wide" : "tall"} for the platform`),
    exceeds(durationMs, limit.maxDurationMs) &&
      describeFileProblem(
        file,
        "video_too_long",
        `lasts ${formatSeconds(durationMs)}; the platform allows up to ${formatSeconds(limit.maxDurationMs)}`,
      ),
    exceeds(limit.minDurationMs, durationMs) &&
      describeFileProblem(
        file,
        "video_too_short",
        `lasts ${formatSeconds(durationMs)}; the platform requires at least ${formatSeconds(limit.minDurationMs)}`,
      ),
  ].filter((detail) => typeof detail === "object");
}

/** False if either number is unknown. */
function exceeds(value: number | null | undefined, limit: number | null | undefined): boolean {
  return typeof value === "number" && typeof limit === "number" && value > limit;
}

export function describeFileProblem(file: AssetDetail, code: string, description: string): ProblemDetail {
  return { code, message: `${file.filename} ${description}.`, assetId: file.id };
}

function describeExcessSize(bytes: number | null, maxBytes: number | undefined): string {
  const { size, limit } = formatExcess(bytes ?? 0, maxBytes ?? 0);
  return `is ${size}; the platform allows up to ${limit}`;
}

const formatSeconds = (ms: number | undefined): string => `${Math.round((ms ?? 0) / 100) / 10} s`;
