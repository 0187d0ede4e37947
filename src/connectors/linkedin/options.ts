import type { PostOption, PostOptions } from "#portable/post-options.ts";
import type { JsonObject } from "../platform.ts";

// Read on 2026-11-19: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api
export const options: readonly PostOption[] = [
  {
    name: "visibility",
    label: "Visibility",
    kind: "choice",
    values: [
      { value: "PUBLIC", label: "Anyone" },
      { value: "CONNECTIONS", label: "Your connections" },
    ],
    default: "PUBLIC",
    chosenBy: "anyone",
  },
];

export const buildOptionFields = ({ visibility }: PostOptions): JsonObject => ({ visibility });
