import type { VisibleState } from "./publication-queries.ts";
import type { SummaryFilter } from "./summary-queries.ts";

export type PostStage = NonNullable<SummaryFilter["stage"]>;

/** Per post and account, only one publication can be in one of these states. */
export const openStates: readonly VisibleState[] = ["proposed", "scheduled", "publishing", "unconfirmed"];

/** The stage of a post with these publications. The lists' filter also counts those that newer ones have replaced. */
export function findStage(publications: readonly { state: VisibleState }[]): PostStage {
  if (publications.some(({ state }) => openStates.includes(state))) return "scheduled";
  return publications.some(({ state }) => state === "published") ? "published" : "editing";
}
