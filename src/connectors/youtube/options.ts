import type { PostOption } from "#portable/post-options.ts";

// Read on 2026-11-19: https://developers.google.com/youtube/v3/docs/videos, …/docs/videos/insert
export const options: readonly PostOption[] = [
  {
    name: "privacy",
    label: "Visibility",
    kind: "choice",
    values: [
      { value: "public", label: "Public" },
      { value: "unlisted", label: "Unlisted: everyone with the link" },
      { value: "private", label: "Private" },
    ],
    requiredIf: "always",
    chosenBy: "anyone",
  },
  {
    name: "madeForKids",
    label: "Made for kids",
    help: "The law in some countries requires this choice. Videos for kids have no comments and no personalized ads.",
    kind: "choice",
    values: [
      { value: "no", label: "No, it’s not made for kids" },
      { value: "yes", label: "Yes, it’s made for kids" },
    ],
    requiredIf: "always",
    chosenBy: "anyone",
  },
  { name: "category", label: "Category", kind: "choice", values: [], isFromAccount: true, chosenBy: "anyone" },
  {
    name: "tags",
    label: "Tags",
    help: "Separated by commas, up to 500 characters in all.",
    kind: "list",
    max: 50,
    maxLength: 100,
    pattern: '[^<>,"]+',
    chosenBy: "anyone",
  },
  {
    name: "syntheticMedia",
    label: "Altered or synthetic content",
    help: "Turn this on if the video looks real, but was generated or altered.",
    kind: "toggle",
    chosenBy: "anyone",
  },
  { name: "withoutNotification", label: "Don’t notify subscribers", kind: "toggle", chosenBy: "anyone" },
];
