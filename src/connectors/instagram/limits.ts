import type { PostLimits } from "#domain/model/platform-limits.ts";

const docs = "https://developers.facebook.com/documentation/instagram-platform";

export const limits: PostLimits = {
  text: { max: 2200, unit: "codePoints" },
  hashtagsAndMentions: { maxHashtags: 30, maxMentions: 20 },
  files: { min: 1, max: 10 },
  images: {
    max: 10,
    types: ["image/jpeg"],
    maxBytes: 8_000_000,
    minAspect: 4 / 5,
    maxAspect: 1.91,
  },
  videos: {
    max: 10,
    types: ["video/mp4", "video/quicktime"],
    maxBytes: 300_000_000,
    maxWidth: 1920,
    minAspect: 0.01,
    maxAspect: 10,
    minDurationMs: 3000,
    maxDurationMs: 15 * 60_000,
  },
  allowsMixedKinds: true,
  altText: { maxLength: 1000 },
  sources: [{ url: `${docs}/instagram-graph-api/reference/ig-user/media`, readOn: "2026-11-15" }],
};
