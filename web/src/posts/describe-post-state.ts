import type { LucideIcon } from "lucide-react";
import type { PostStatus } from "../api/queries.ts";
import { findMainState } from "../publishing/find-main-state.ts";
import { stateLabels } from "../publishing/publication-states.ts";
import { stateColors, stateIcons } from "./AccountStates.tsx";
import { statusColors, statusIcons, statusLabels } from "./status-labels.ts";

interface PostState {
  status: PostStatus;
  publications?: Parameters<typeof findMainState>[0] | undefined;
}

/**
 * The state of the post's publications, if that is what the app shows as the state of the post. Users archive posts
 * after they were published, so an archived post is shown as archived.
 */
export const findShownState = ({ status, publications = [] }: PostState) =>
  status === "archived" ? undefined : findMainState(publications);

/** How lists show the state of a post: the most urgent state of its publications, or its status if it has none. */
export function describePostState(post: PostState): { label: string; icon: LucideIcon; color: string } {
  const state = findShownState(post);
  return state === undefined
    ? { label: statusLabels[post.status].singular, icon: statusIcons[post.status], color: statusColors[post.status] }
    : { label: stateLabels[state], icon: stateIcons[state], color: stateColors[state] };
}
