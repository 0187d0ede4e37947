import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-19";

export const limits: PostLimits = {
  text: { max: 5000, unit: "bytes", forbidden: "<>" },
  title: { max: 100, unit: "codePoints", isRequired: true, forbidden: "<>" },
  videos: {
    min: 1,
    max: 1,
    // Documented as video/*, so all video types that Atelier accepts.
    types: ["video/mp4", "video/quicktime", "video/webm", "video/x-m4v", "video/mpeg"],
    maxBytes: 256_000_000_000,
    maxDurationMs: 12 * 3_600_000,
  },
  // The thumbnail.
  images: { max: 1, types: ["image/jpeg", "image/png"], maxBytes: 50_000_000 },
  allowsMixedKinds: true,
  sources: [
    { url: "https://developers.google.com/youtube/v3/docs/videos", readOn },
    { url: "https://developers.google.com/youtube/v3/docs/videos/insert", readOn },
    { url: "https://developers.google.com/youtube/v3/docs/thumbnails/set", readOn },
  ],
};
