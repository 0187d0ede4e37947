import type { PostOption, PostOptions } from "#portable/post-options.ts";
import type { JsonObject } from "../platform.ts";

// Read on 2026-11-19, in https://github.com/bluesky-social/atproto/blob/main/lexicons: app/bsky/feed/post.json,
// app/bsky/feed/threadgate.json, com/atproto/label/defs.json
export const options: readonly PostOption[] = [
  {
    name: "languages",
    label: "Languages",
    help: "Codes such as en or pt-BR, separated by commas.",
    kind: "list",
    max: 3,
    maxLength: 20,
    pattern: "[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*",
    chosenBy: "anyone",
  },
  {
    name: "labels",
    label: "Content labels",
    kind: "choices",
    values: [
      { value: "sexual", label: "Suggestive" },
      { value: "nudity", label: "Nudity" },
      { value: "porn", label: "Adult content" },
      { value: "graphic-media", label: "Graphic media" },
    ],
    chosenBy: "anyone",
  },
  {
    name: "replies",
    label: "Who can reply",
    kind: "choice",
    values: [
      { value: "everyone", label: "Everyone" },
      { value: "followers", label: "Your followers" },
      { value: "following", label: "Accounts you follow" },
      { value: "mentioned", label: "Accounts you mention" },
      { value: "none", label: "No one" },
    ],
    default: "everyone",
    chosenBy: "anyone",
  },
];

export const buildOptionFields = ({ languages, labels }: PostOptions): JsonObject => ({
  langs: languages,
  labels: Array.isArray(labels)
    ? { $type: "com.atproto.label.defs#selfLabels", values: labels.map((val) => ({ val })) }
    : undefined,
});

/** Without a rule, everyone can reply. */
const replyRules: Readonly<Record<string, readonly string[]>> = {
  followers: ["followerRule"],
  following: ["followingRule"],
  mentioned: ["mentionRule"],
  none: [],
};

/** The rules for replies, in a record beside the first post of a thread; undefined if everyone can reply. */
export const listReplyRules = ({ replies }: PostOptions): readonly string[] | undefined => replyRules[String(replies)];
