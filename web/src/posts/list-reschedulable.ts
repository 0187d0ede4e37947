import type { PostSummary, SummaryPublication } from "../api/summary-queries.ts";
import { canReschedule } from "../publishing/publication-states.ts";

/**
 * The planned publications that can be rescheduled. A missed one is not among them: the user schedules the post again,
 * and selects accounts.
 */
export const listReschedulable = ({ publications }: Pick<PostSummary, "publications">): SummaryPublication[] =>
  publications.filter(({ state }) => state !== "missed" && canReschedule(state, false));
