import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-15";
const shares = "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares";

export const limits: PostLimits = {
  // From the help page: the API documentation has no limit, and does not say how characters are counted.
  text: { max: 3000, unit: "codePoints", isRequired: true },
  images: { max: 20, types: ["image/jpeg", "image/png", "image/gif"], maxPixels: 36_152_319 },
  videos: {
    max: 1,
    types: ["video/mp4"],
    maxBytes: 500_000_000,
    minDurationMs: 3000,
    maxDurationMs: 30 * 60_000,
  },
  documents: {
    max: 1,
    types: [
      "application/pdf",
      "application/msword",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.ms-powerpoint",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ],
    maxBytes: 100_000_000,
  },
  allowsMixedKinds: false,
  altText: { maxLength: 4086 },
  sources: [
    { url: `${shares}/posts-api`, readOn },
    { url: `${shares}/multiimage-post-api`, readOn },
    { url: `${shares}/images-api`, readOn },
    { url: `${shares}/videos-api`, readOn },
    { url: `${shares}/documents-api`, readOn },
    { url: "https://www.linkedin.com/help/linkedin/answer/a528176", readOn },
  ],
};
