import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-19";

export const limits: PostLimits = {
  text: { max: 800, unit: "codePoints" },
  title: { max: 100, unit: "codePoints" },
  files: { min: 1, max: 5 },
  images: { max: 5, types: ["image/jpeg", "image/png"], maxBytes: 32_000_000 },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime", "video/x-m4v"],
    maxBytes: 2_000_000_000,
    minDurationMs: 4000,
    maxDurationMs: 15 * 60_000,
    minAspect: 1 / 2,
    maxAspect: 1.91,
  },
  allowsMixedKinds: false,
  altText: { maxLength: 500 },
  sources: [
    {
      url: "https://github.com/pinterest/api-description/blob/main/v5/openapi.yaml",
      readOn,
      dated: "2025-12-11",
    },
    { url: "https://help.pinterest.com/en/article/review-pin-specs", readOn },
  ],
};
