import { mastodon } from "./catalog/mastodon.ts";
import type { Platform } from "./platform.ts";

/** Every platform that can be connected; the sandbox of a development instance comes beside them. */
export const catalog: readonly Platform[] = [mastodon];
