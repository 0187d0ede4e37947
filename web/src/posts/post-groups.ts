import type { LucideIcon } from "lucide-react";
import { isAtStage } from "../api/post-stage.ts";
import type { VisibleState } from "../api/publication-queries.ts";
import type { PostStatus } from "../api/queries.ts";
import { stateLabels } from "../publishing/publication-states.ts";
import type { PostGroup } from "../search-params.ts";
import { stateColors, stateIcons } from "./AccountStates.tsx";
import { statusColors, statusIcons, statusLabels } from "./status-labels.ts";

export const groupLabels: Record<PostGroup, string> = {
  draft: statusLabels.draft.plural,
  ready: statusLabels.ready.plural,
  scheduled: stateLabels.scheduled,
  published: stateLabels.published,
  archived: statusLabels.archived.plural,
};

export const groupIcons: Record<PostGroup, { icon: LucideIcon; color: string }> = {
  draft: { icon: statusIcons.draft, color: statusColors.draft },
  ready: { icon: statusIcons.ready, color: statusColors.ready },
  scheduled: { icon: stateIcons.scheduled, color: stateColors.scheduled },
  published: { icon: stateIcons.published, color: stateColors.published },
  archived: { icon: statusIcons.archived, color: statusColors.archived },
};

/** Drafts and ready posts that are scheduled or published are in the groups for those. */
export function findGroup({
  status,
  publications = [],
}: {
  status: PostStatus;
  publications?: readonly { state: VisibleState }[] | undefined;
}): PostGroup {
  if (status === "archived") return status;
  return (["scheduled", "published"] as const).find((stage) => isAtStage(publications, stage)) ?? status;
}
