import type { PostOption, PostOptions } from "#portable/post-options.ts";

// Read on 2026-11-19: https://developers.facebook.com/documentation/threads/reply-management and …/threads/posts
export const options: readonly PostOption[] = [
  {
    name: "replies",
    label: "Who can reply",
    kind: "choice",
    values: [
      { value: "everyone", label: "Everyone" },
      { value: "accounts_you_follow", label: "Accounts you follow" },
      { value: "mentioned_only", label: "Accounts you mention" },
      { value: "followers_only", label: "Your followers" },
    ],
    default: "everyone",
    chosenBy: "anyone",
  },
  {
    name: "topic",
    label: "Topic",
    help: "Up to 50 characters, without # . and &.",
    kind: "text",
    maxLength: 50,
    pattern: "[^#.&]+",
    chosenBy: "anyone",
  },
];

/** The topic belongs to the first post of a thread. */
export const buildOptionParams = ({ replies, topic }: PostOptions, isReply: boolean): Record<string, string> => ({
  ...(replies === "everyone" ? {} : { reply_control: String(replies) }),
  ...(topic === undefined || isReply ? {} : { topic_tag: String(topic) }),
});
