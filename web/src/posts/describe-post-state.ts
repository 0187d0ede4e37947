import { CornerUpLeft, type LucideIcon } from "lucide-react";
import type { PostSummary } from "../api/summary-queries.ts";
import { sentBackLabel, stateLabels } from "../publishing/publication-states.ts";
import { stateColors, stateIcons } from "./AccountStates.tsx";
import { findShownState } from "./find-shown-state.ts";
import { statusColors, statusIcons, statusLabels } from "./status-labels.ts";

type StatedPost = Pick<PostSummary, "status" | "publications" | "wasSentBack">;

/** How lists show the state of a post: the most urgent state of its publications, or its status if it has none. */
export function describePostState(post: StatedPost): { label: string; icon: LucideIcon; color: string } {
  const state = findShownState(post);
  if (state !== undefined) return { label: stateLabels[state], icon: stateIcons[state], color: stateColors[state] };
  if (waitsForChanges(post)) return { label: sentBackLabel, icon: CornerUpLeft, color: "text-warning" };
  const { status } = post;
  return { label: statusLabels[status].singular, icon: statusIcons[status], color: statusColors[status] };
}

/** Whether someone asked for changes, and nothing else is planned or published. */
export const waitsForChanges = (post: StatedPost): boolean =>
  post.wasSentBack && post.status !== "archived" && findShownState(post) === undefined;
