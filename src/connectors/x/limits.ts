import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-15";
const dated = "2026-08-22";

export const limits: PostLimits = {
  // A higher limit also affects `maxNormalizedLength` in count-text.ts and the lookup in publish.ts.
  text: { max: 280, unit: "weighted", linkLength: 23 },
  linkWarning: "X charges the owner of the app $0.20 for a post with a link, and $0.015 for one without.",
  images: {
    max: 4,
    types: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    maxBytes: 5_000_000,
    asOnlyFile: { maxBytesByType: { "image/gif": 15_000_000 }, animatedTypes: ["image/gif"] },
  },
  videos: {
    max: 1,
    types: ["video/mp4", "video/quicktime", "video/webm"],
    maxBytes: 512_000_000,
    minDurationMs: 500,
    maxDurationMs: 140_000,
    minAspect: 1 / 3,
    maxAspect: 3,
  },
  allowsMixedKinds: false,
  altText: { maxLength: 1000 },
  sources: [
    { url: "https://docs.x.com/fundamentals/counting-characters", readOn, dated },
    { url: "https://docs.x.com/x-api/media/quickstart/best-practices", readOn, dated },
    { url: "https://docs.x.com/x-api/media/create-media-metadata", readOn, dated },
    { url: "https://docs.x.com/x-api/getting-started/pricing", readOn: "2026-11-19" },
  ],
};
