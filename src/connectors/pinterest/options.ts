import type { PostOption } from "#portable/post-options.ts";

// Read on 2026-11-19: https://github.com/pinterest/api-description/blob/main/v5/openapi.yaml
export const options: readonly PostOption[] = [
  {
    name: "board",
    label: "Board",
    kind: "choice",
    values: [],
    isFromAccount: true,
    requiredIf: "always",
    chosenBy: "anyone",
  },
  {
    name: "section",
    label: "Section",
    help: "The name of a section of the board.",
    kind: "text",
    maxLength: 180,
    chosenBy: "anyone",
  },
  {
    name: "link",
    label: "Link",
    help: "The page that the pin leads to.",
    kind: "text",
    maxLength: 2048,
    pattern: "https?://.+",
    chosenBy: "anyone",
  },
  {
    name: "coverSecond",
    label: "Cover of the video",
    help: "The second of the video that is the cover. Without it, the first one.",
    kind: "text",
    maxLength: 3,
    pattern: "[0-9]{1,3}",
    chosenBy: "anyone",
  },
];
