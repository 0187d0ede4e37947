import type { PostStatus } from "../api/queries.ts";

export const statusWords: Record<PostStatus, { one: string; plural: string }> = {
  draft: { one: "Draft", plural: "Drafts" },
  ready: { one: "Ready", plural: "Ready" },
  archived: { one: "Archived", plural: "Archived" },
};
