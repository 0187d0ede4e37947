import type { PostOption, PostOptions } from "#portable/post-options.ts";
import type { JsonObject } from "../platform.ts";

// Read on 2026-11-19: https://docs.joinmastodon.org/methods/statuses/#create
export const options: readonly PostOption[] = [
  {
    name: "contentWarning",
    label: "Content warning",
    help: "Readers see this text first, and open the post if they want to.",
    kind: "text",
    maxLength: 300,
    chosenBy: "anyone",
  },
  {
    name: "sensitive",
    label: "Sensitive media",
    help: "Images and videos are hidden until a reader opens them.",
    kind: "toggle",
    chosenBy: "anyone",
  },
  {
    name: "visibility",
    label: "Visibility",
    kind: "choice",
    values: [
      { value: "public", label: "Public" },
      { value: "unlisted", label: "Unlisted: public, but not in public timelines" },
      { value: "private", label: "Followers only" },
    ],
    default: "public",
    chosenBy: "anyone",
  },
  {
    name: "language",
    label: "Language",
    help: "A code of ISO 639, such as en.",
    kind: "text",
    maxLength: 3,
    pattern: "[a-z]{2,3}",
    chosenBy: "anyone",
  },
];

export const buildOptionFields = ({ visibility, contentWarning, sensitive, language }: PostOptions): JsonObject => ({
  visibility,
  spoiler_text: contentWarning,
  sensitive,
  language,
});
