import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-15";
const docs = "https://developers.facebook.com";

export const limits: PostLimits = {
  // From an announcement: the API documentation has no limit, and does not say how characters are counted.
  text: { max: 63_206, unit: "codePoints", isRequired: true },
  // No limits are documented for the number of photos, or the size and duration of a video.
  images: { types: ["image/jpeg", "image/png", "image/gif"], maxBytes: 10_000_000 },
  videos: { max: 1, types: ["video/mp4"], text: { max: 63_206, unit: "codePoints" } },
  allowsMixedKinds: false,
  altText: {},
  sources: [
    { url: `${docs}/docs/graph-api/reference/page/photos/`, readOn },
    { url: `${docs}/docs/graph-api/reference/photo/`, readOn },
    { url: `${docs}/docs/video-api/guides/publishing`, readOn },
    { url: `${docs}/documentation/pages-api/posts.md`, readOn },
    {
      url: "https://www.digitaltrends.com/mobile/facebook-increases-limit-for-status-updates-to-63206-characters/",
      readOn: "2026-11-16",
    },
  ],
};
