import type { PostSummary } from "../api/summary-queries.ts";
import { IconBadge, type BadgeLabelProps } from "../ui/IconBadge.tsx";
import { describePostState } from "./describe-post-state.ts";

/** The state of a post in a list: that of its publications, or its status. */
export const PostStateBadge = ({
  post,
  ...label
}: BadgeLabelProps & { post: Pick<PostSummary, "status" | "publications" | "wasSentBack"> }) => (
  <IconBadge {...describePostState(post)} {...label} />
);
