import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-15";
const docs = "https://developers.facebook.com/documentation/threads";

export const limits: PostLimits = {
  text: { max: 500, unit: "emojiBytes" },
  files: { max: 20 },
  images: { max: 20, types: ["image/jpeg", "image/png"], maxBytes: 8_000_000, minAspect: 0.1, maxAspect: 10 },
  videos: {
    max: 20,
    types: ["video/mp4", "video/quicktime"],
    maxBytes: 1_000_000_000,
    maxWidth: 1920,
    maxDurationMs: 5 * 60_000,
  },
  allowsMixedKinds: true,
  altText: { maxLength: 1000, isSentForVideos: true },
  sources: [
    { url: `${docs}/posts`, readOn, dated: "2026-04-14" },
    { url: `${docs}/overview`, readOn, dated: "2025-12-22" },
    { url: `${docs}/reference/publishing`, readOn },
  ],
};
