import type { PostLimits } from "#domain/model/platform-limits.ts";

export const limits: PostLimits = {
  text: { max: 300, unit: "graphemes", maxBytes: 3000 },
  images: { max: 4, types: ["image/jpeg", "image/png", "image/webp"], maxBytes: 2_000_000 },
  allowsMixedKinds: false,
  altText: {},
  sources: [
    {
      url: "https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed/images.json",
      readOn: "2026-11-15",
    },
    {
      url: "https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json",
      readOn: "2026-11-15",
    },
  ],
};
