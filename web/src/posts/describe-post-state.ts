import type { LucideIcon } from "lucide-react";
import { stateLabels } from "../publishing/publication-states.ts";
import { stateColors, stateIcons } from "./AccountStates.tsx";
import { findShownState } from "./find-shown-state.ts";
import { statusColors, statusIcons, statusLabels } from "./status-labels.ts";

/** How lists show the state of a post: the most urgent state of its publications, or its status if it has none. */
export function describePostState(post: Parameters<typeof findShownState>[0]): {
  label: string;
  icon: LucideIcon;
  color: string;
} {
  const state = findShownState(post);
  return state === undefined
    ? { label: statusLabels[post.status].singular, icon: statusIcons[post.status], color: statusColors[post.status] }
    : { label: stateLabels[state], icon: stateIcons[state], color: stateColors[state] };
}
