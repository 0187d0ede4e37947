import { facebook } from "./catalog/facebook.ts";
import { instagram } from "./catalog/instagram.ts";
import { linkedin } from "./catalog/linkedin.ts";
import { mastodon } from "./catalog/mastodon.ts";
import { pinterest } from "./catalog/pinterest.ts";
import { threads } from "./catalog/threads.ts";
import { tiktok } from "./catalog/tiktok.ts";
import { x } from "./catalog/x.ts";
import { youtube } from "./catalog/youtube.ts";
import type { Platform } from "./platform.ts";

/** Every platform that can be connected; the sandbox of a development instance comes beside them. */
export const catalog: readonly Platform[] = [
  linkedin,
  x,
  facebook,
  instagram,
  threads,
  tiktok,
  youtube,
  pinterest,
  mastodon,
];
