import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-19";
const docs = "https://developers.tiktok.com/doc";

export const limits: PostLimits = {
  text: { max: 2200, unit: "utf16" },
  files: { min: 1, max: 35 },
  images: {
    max: 35,
    types: ["image/jpeg", "image/webp"],
    maxBytes: 20_000_000,
    text: { max: 4000, unit: "utf16" },
    title: { max: 90, unit: "utf16" },
  },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime", "video/webm"],
    maxBytes: 4_000_000_000,
    minWidth: 360,
    maxWidth: 4096,
    minHeight: 360,
    maxHeight: 4096,
    // The highest limit of any account; many accounts have a lower limit.
    maxDurationMs: 10 * 60_000,
  },
  allowsMixedKinds: false,
  sources: [
    { url: `${docs}/content-posting-api-media-transfer-guide`, readOn },
    { url: `${docs}/content-posting-api-reference-direct-post`, readOn },
    { url: `${docs}/content-posting-api-reference-photo-post`, readOn },
  ],
};
