import type { AtprotoPlatform } from "../platform.ts";
import { blueskyPublishing, buildProfileUrl } from "./bluesky-publishing.ts";

/** Connects to bsky.social and to every other server of the AT Protocol. Operators need no setup. */
export const bluesky: AtprotoPlatform = {
  id: "bluesky",
  name: "Bluesky",
  protocol: "atproto",
  defaultInstance: "https://bsky.social",
  // Only posts and their images, not the whole account as with `transition:generic`.
  scopes: ["atproto", "repo:app.bsky.feed.post?action=create&action=update", "blob:image/*"],
  buildProfileUrl,
  publishing: blueskyPublishing,
  limits: {
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
  },
  sources: [
    { url: "https://atproto.com/specs/oauth", readOn: "2026-11-15" },
    { url: "https://atproto.com/specs/permission", readOn: "2026-11-15" },
    { url: "https://atproto.com/specs/record-key", readOn: "2026-11-15" },
  ],
};
