import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-15";

export const limits: PostLimits = {
  text: { max: 5000, unit: "bytes" },
  title: { max: 100, unit: "codePoints", isRequired: true },
  files: { min: 1, max: 1 },
  videos: {
    max: 1,
    // Documented as video/*, so all video types that Atelier accepts.
    types: ["video/mp4", "video/quicktime", "video/webm", "video/x-m4v", "video/mpeg"],
    maxBytes: 256_000_000_000,
  },
  allowsMixedKinds: false,
  sources: [
    { url: "https://developers.google.com/youtube/v3/docs/videos", readOn },
    { url: "https://developers.google.com/youtube/v3/docs/videos/insert", readOn },
  ],
};
