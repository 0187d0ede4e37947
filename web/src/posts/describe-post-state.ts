import type { LucideIcon } from "lucide-react";
import type { PostStatus } from "../api/queries.ts";
import { findMainState } from "../publishing/find-main-state.ts";
import { stateLabels } from "../publishing/publication-states.ts";
import { stateColors, stateIcons } from "./AccountStates.tsx";
import { statusColors, statusIcons, statusLabels } from "./status-labels.ts";

/**
 * How lists show the state of a post: the most urgent state of its publications, or its status if it has none. Users
 * archive posts after they were published, so an archived post is shown as archived.
 */
export function describePostState({
  status,
  publications,
}: {
  status: PostStatus;
  publications: Parameters<typeof findMainState>[0];
}): { label: string; icon: LucideIcon; color: string } {
  const state = status === "archived" ? undefined : findMainState(publications);
  return state === undefined
    ? { label: statusLabels[status].singular, icon: statusIcons[status], color: statusColors[status] }
    : { label: stateLabels[state], icon: stateIcons[state], color: stateColors[state] };
}
