import { CornerUpLeft, type LucideIcon } from "lucide-react";
import type { Publication } from "../api/publication-queries.ts";
import type { PostStatus } from "../api/queries.ts";
import { countPartlyPublished } from "../publishing/find-main-state.ts";
import { sentBackLabel, stateLabels } from "../publishing/publication-states.ts";
import { listSentBack } from "../publishing/sent-back.ts";
import { stateColors, stateIcons } from "./AccountStates.tsx";
import { findShownState } from "./find-shown-state.ts";
import { statusColors, statusIcons, statusLabels } from "./status-labels.ts";

type StatedPost = Parameters<typeof findShownState>[0] & { wasSentBack: boolean };

interface StateDescription {
  label: string;
  icon: LucideIcon;
  color: string;
}

/** How lists show the state of a post: that of its publications, or its status if they have none. */
export const describePostState = (post: StatedPost): StateDescription =>
  describePublicationState(post) ?? describeStatus(post.status);

export const describeStatus = (status: PostStatus): StateDescription => ({
  label: statusLabels[status].singular,
  icon: statusIcons[status],
  color: statusColors[status],
});

/** The most urgent state of a post's publications, or how many are published; undefined if the status of the post says more. */
function describePublicationState(post: StatedPost): StateDescription | undefined {
  const state = findShownState(post);
  if (state !== undefined) {
    const part = countPartlyPublished(post.publications ?? []);
    const label = part ? `${part.count} of ${part.total} published` : stateLabels[state];
    return { label, icon: stateIcons[state], color: stateColors[state] };
  }
  return waitsForChanges(post) ? { label: sentBackLabel, icon: CornerUpLeft, color: "text-warning" } : undefined;
}

/** The same for a post that is open. */
export const describeOpenPostState = ({
  status,
  publications = [],
}: {
  status: PostStatus;
  publications?: readonly Publication[] | undefined;
}): StateDescription | undefined =>
  describePublicationState({ status, publications, wasSentBack: listSentBack(publications).length > 0 });

/** Whether someone asked for changes, and nothing else is planned or published. */
export const waitsForChanges = (post: StatedPost): boolean =>
  post.wasSentBack && post.status !== "archived" && findShownState(post) === undefined;
