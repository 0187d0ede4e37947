import type { PostLimits } from "#domain/model/platform-limits.ts";

const readOn = "2026-11-15";
const lexicons = "https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky";

export const limits: PostLimits = {
  text: { max: 300, unit: "graphemes", maxBytes: 3000 },
  images: { max: 4, types: ["image/jpeg", "image/png", "image/webp"], maxBytes: 2_000_000 },
  allowsMixedKinds: false,
  altText: {},
  sources: [
    { url: `${lexicons}/embed/images.json`, readOn },
    { url: `${lexicons}/feed/post.json`, readOn },
  ],
};
