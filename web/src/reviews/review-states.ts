import { CircleCheck, Eye, GitCompare, PenLine, type LucideIcon } from "lucide-react";
import type { PostSummary } from "../api/summary-queries.ts";

export type PostReview = NonNullable<PostSummary["review"]>;

/** What guests of review links decided about a post, as lists and the filter name it. */
export const reviewStates: Record<PostReview, { label: string; icon: LucideIcon; color: string }> = {
  waiting: { label: "With a guest", icon: Eye, color: "text-muted" },
  changes_requested: { label: "Guest wants changes", icon: PenLine, color: "text-warning" },
  outdated: { label: "Changed since", icon: GitCompare, color: "text-warning" },
  approved: { label: "Guest approved", icon: CircleCheck, color: "text-success" },
};
