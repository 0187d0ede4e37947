import type { AtprotoPlatform } from "../platform.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import * as publishing from "./publish.ts";

/** Connects to bsky.social and to every other server of the AT Protocol. Operators need no setup. */
export const bluesky: AtprotoPlatform = {
  id: "bluesky",
  name: "Bluesky",
  protocol: "atproto",
  defaultInstance: "https://bsky.social",
  // Only posts, who may reply to them, and their images, not the whole account as with `transition:generic`.
  scopes: [
    "atproto",
    "repo:app.bsky.feed.post?action=create&action=update",
    "repo:app.bsky.feed.threadgate?action=create&action=update",
    "blob:image/*",
  ],
  buildProfileUrl: publishing.buildProfileUrl,
  publishing,
  limits,
  options,
};
