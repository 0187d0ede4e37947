import type { PostSummary, SummaryPublication } from "../api/summary-queries.ts";

const waitingStates: readonly SummaryPublication["state"][] = ["proposed", "scheduled", "publishing"];

/** The next time at which the post is planned to go out; undefined if none is set. */
export function findPlannedTime({ publications }: Pick<PostSummary, "publications">): string | undefined {
  return publications
    .filter(({ state }) => waitingStates.includes(state))
    .flatMap(({ scheduledFor }) => scheduledFor ?? [])
    .toSorted()
    .at(0);
}

/** The last time at which the post was published; undefined if it never was. */
export function findPublishedTime({ publications }: Pick<PostSummary, "publications">): string | undefined {
  return publications
    .flatMap(({ publishedAt }) => publishedAt ?? [])
    .toSorted()
    .at(-1);
}
