import { seconds } from "#lib/clock.ts";
import type { PostOption, PostOptions } from "#portable/post-options.ts";

// Read on 2026-11-19, in https://developers.facebook.com/documentation/instagram-platform:
// /instagram-graph-api/reference/ig-user/media
export const options: readonly PostOption[] = [
  {
    name: "collaborators",
    label: "Collaborators",
    help: "Up to three usernames, separated by commas. Instagram invites them.",
    kind: "list",
    max: 3,
    maxLength: 30,
    pattern: "[A-Za-z0-9._]+",
    chosenBy: "anyone",
  },
  {
    name: "reelPlacement",
    label: "Where a reel is shown",
    help: "Only for a post with a single video.",
    kind: "choice",
    values: [
      { value: "feed", label: "In the feed and among the reels" },
      { value: "reels", label: "Only among the reels" },
    ],
    default: "feed",
    chosenBy: "anyone",
  },
  {
    name: "coverTime",
    label: "Cover of a reel",
    help: "The second of the video whose frame is the cover, such as 2.5.",
    kind: "text",
    maxLength: 7,
    pattern: "\\d{1,3}(?:\\.\\d{1,3})?",
    chosenBy: "anyone",
  },
];

/** For the container of a post, and not for the files of a carousel. */
export const buildOptionParams = (
  { collaborators, reelPlacement, coverTime }: PostOptions,
  isReel: boolean,
): Record<string, string> => ({
  ...(collaborators === undefined ? {} : { collaborators: JSON.stringify(collaborators) }),
  ...(isReel ? { share_to_feed: String(reelPlacement === "feed") } : {}),
  ...(isReel && coverTime !== undefined ? { thumb_offset: String(Math.round(seconds(Number(coverTime)))) } : {}),
});
