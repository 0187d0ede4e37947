import type { VisibleState } from "./publication-queries.ts";
import type { SummaryFilter } from "./summary-queries.ts";

export type PostStage = NonNullable<SummaryFilter["stage"]>;

/** Per post and account, only one publication can be in one of these states. */
export const openStates: readonly VisibleState[] = ["proposed", "scheduled", "publishing", "unconfirmed"];

/**
 * Whether lists of this stage show a post with these publications. A partly published post can be at two. The lists'
 * filter also counts those that newer ones have replaced.
 */
export function isAtStage(publications: readonly { state: VisibleState }[], stage: PostStage): boolean {
  const isScheduled = publications.some(({ state }) => openStates.includes(state));
  const isPublished = publications.some(({ state }) => state === "published");
  return { scheduled: isScheduled, published: isPublished, editing: !isScheduled && !isPublished }[stage];
}
