import type { PostSummary } from "../api/summary-queries.ts";
import { IconBadge, type BadgeLabelProps } from "../ui/IconBadge.tsx";
import { reviewStates } from "./review-states.ts";

/** What guests decided about the post; nothing without a review link. */
export const ReviewBadge = ({ post: { review }, ...label }: BadgeLabelProps & { post: PostSummary }) =>
  review && <IconBadge {...reviewStates[review]} {...label} />;
