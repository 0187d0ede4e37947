import type { PostStatus } from "../api/queries.ts";

export const statusLabels: Record<PostStatus, { singular: string; plural: string }> = {
  draft: { singular: "Draft", plural: "Drafts" },
  ready: { singular: "Ready", plural: "Ready" },
  archived: { singular: "Archived", plural: "Archived" },
};
