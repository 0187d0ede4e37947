import type { PostSummary, SummaryPublication } from "../api/summary-queries.ts";
import { canReschedule } from "../publishing/publication-states.ts";

const waitingStates: readonly SummaryPublication["state"][] = ["proposed", "scheduled", "publishing"];
/** The publication did not go out at its time, or it is not known whether it did. */
const overdueStates: readonly SummaryPublication["state"][] = ["missed", "failed", "unconfirmed"];

/**
 * The planned publications that can be rescheduled. A missed one is not among them: the user schedules the post again,
 * and selects accounts.
 */
export const listReschedulable = ({ publications }: Pick<PostSummary, "publications">): SummaryPublication[] =>
  publications.filter(({ state }) => state !== "missed" && canReschedule(state, false));

/**
 * The next time at which the post is planned to go out, or the last time at which it should have gone out; undefined if
 * neither is set. Users archive posts that they no longer plan to publish, so those are not overdue.
 */
export function findPlannedTime(post: Pick<PostSummary, "publications" | "status">): string | undefined {
  const nextTime = listTimes(post, waitingStates).at(0);
  const isOverdue = post.status !== "archived" && findPublishedTime(post) === undefined;
  return nextTime ?? (isOverdue ? listTimes(post, overdueStates).at(-1) : undefined);
}

/** The planned times of the publications in these states, earliest first. */
const listTimes = (
  { publications }: Pick<PostSummary, "publications">,
  states: readonly SummaryPublication["state"][],
): string[] =>
  publications
    .filter(({ state }) => states.includes(state))
    .flatMap(({ scheduledFor }) => scheduledFor ?? [])
    .toSorted();

/** The last time at which the post was published; undefined if it never was. */
export function findPublishedTime({ publications }: Pick<PostSummary, "publications">): string | undefined {
  return publications
    .flatMap(({ publishedAt }) => publishedAt ?? [])
    .toSorted()
    .at(-1);
}
