import { hashtagPattern, instagramMentionPattern } from "#portable/hashtags-and-mentions.ts";

/** How a platform's own app shows a post. Contains only what the platform's documentation or source code states. */
export interface PlatformDisplay {
  /** Which parts of the text the platform turns into links. */
  features: FeatureRules | "bluesky";
  /** How many lines the platform shows before "See more". Absent if it shows all, or does not document the number. */
  collapsedLines?: number;
  /** How several images are shown; a grid has up to four. */
  gallery: "grid" | "carousel";
  isMediaFirst?: boolean;
  showsTitle?: boolean;
}

export interface FeatureRules {
  hasLinks: boolean;
  mention?: RegExp;
  tag?: RegExp;
}

const plainDisplay: PlatformDisplay = { features: { hasLinks: false }, gallery: "grid" };

const displays: Readonly<Record<string, PlatformDisplay>> = {
  // https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts (MAX_POST_LINES), read 2026-11-16.
  bluesky: { features: "bluesky", collapsedLines: 25, gallery: "grid" },
  // https://github.com/mastodon/mastodon/blob/main/app/javascript/mastodon/components/status_content.jsx (MAX_HEIGHT) and
  // media_gallery.jsx, https://docs.joinmastodon.org/user/posting/, read 2026-11-16.
  mastodon: {
    features: {
      hasLinks: true,
      mention: /(?<![=/\w])@\w+(?:[.-]+\w+)*(?:@[\p{L}\p{N}_]+(?:[.-]+[\p{L}\p{N}_]+)*)?/gu,
      tag: hashtagPattern,
    },
    collapsedLines: 32,
    gallery: "grid",
  },
  // https://docs.x.com/fundamentals/counting-characters, read 2026-11-16. Shows texts of up to 280 characters in full.
  x: { features: { hasLinks: true, mention: /(?<![\w@])@\w{1,15}(?![\w@])/g, tag: hashtagPattern }, gallery: "grid" },
  // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format,
  // read 2026-11-16. A mention needs an id, so a name stays text.
  linkedin: { features: { hasLinks: true, tag: hashtagPattern }, gallery: "grid" },
  // A mention needs an id. Where the app collapses texts is not documented.
  facebook: { features: { hasLinks: true, tag: hashtagPattern }, gallery: "grid" },
  // https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media: tags
  // and usernames in captions become links; URLs don't. Where the app collapses texts is not documented.
  instagram: {
    features: { hasLinks: false, mention: instagramMentionPattern, tag: hashtagPattern },
    gallery: "carousel",
    isMediaFirst: true,
  },
  // https://developers.facebook.com/docs/threads/posts. We found no documentation of which tags and mentions become
  // links.
  threads: { features: { hasLinks: true }, gallery: "carousel" },
  tiktok: { ...plainDisplay, isMediaFirst: true, showsTitle: true },
  youtube: { ...plainDisplay, isMediaFirst: true, showsTitle: true },
  pinterest: { ...plainDisplay, isMediaFirst: true, showsTitle: true },
};

export const getDisplay = (platform: string): PlatformDisplay => displays[platform] ?? plainDisplay;
