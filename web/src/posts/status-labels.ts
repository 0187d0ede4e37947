import { Archive, CircleCheck, CircleDashed, type LucideIcon } from "lucide-react";
import type { PostStatus } from "../api/queries.ts";

export const statusLabels: Record<PostStatus, { singular: string; plural: string }> = {
  draft: { singular: "Draft", plural: "Drafts" },
  ready: { singular: "Ready", plural: "Ready" },
  archived: { singular: "Archived", plural: "Archived" },
};

export const statusIcons: Record<PostStatus, LucideIcon> = {
  draft: CircleDashed,
  ready: CircleCheck,
  archived: Archive,
};

export const statusColors: Record<PostStatus, string> = {
  draft: "text-muted",
  ready: "text-success",
  archived: "text-muted",
};
