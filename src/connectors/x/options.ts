import type { PostOption, PostOptions } from "#portable/post-options.ts";
import type { JsonObject } from "../platform.ts";

// Read on 2026-11-19: https://docs.x.com/x-api/posts/create-post
export const options: readonly PostOption[] = [
  {
    name: "replies",
    label: "Who can reply",
    kind: "choice",
    values: [
      { value: "everyone", label: "Everyone" },
      { value: "following", label: "Accounts you follow" },
      { value: "mentionedUsers", label: "Accounts you mention" },
      { value: "subscribers", label: "Your subscribers" },
      { value: "verified", label: "Verified accounts" },
    ],
    default: "everyone",
    chosenBy: "anyone",
  },
  {
    name: "madeWithAi",
    label: "Made with AI",
    help: "X labels the post as made with AI.",
    kind: "toggle",
    chosenBy: "anyone",
  },
];

/** The rules for replies belong to the first post of a thread. */
export const buildOptionFields = ({ replies, madeWithAi }: PostOptions, isReply: boolean): JsonObject => ({
  ...(replies === "everyone" || isReply ? {} : { reply_settings: replies }),
  ...(madeWithAi === undefined ? {} : { made_with_ai: madeWithAi }),
});
