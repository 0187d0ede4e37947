import { formatTime } from "../ui/format-time.ts";

interface ScheduledPublication {
  id: string;
  account: string;
  state: string;
  scheduledFor: string | null;
}

/**
 * Says that a revision was restored, or that changes were undone, without which files, and what that means for the
 * publications that were scheduled before.
 */
export function describeRestore(
  outcome: string,
  missingFilenames: readonly string[],
  timezone: string,
  before: readonly ScheduledPublication[] = [],
  after: readonly ScheduledPublication[] = [],
): string {
  const scheduledIds = new Set(before.filter(({ state }) => state === "scheduled").map(({ id }) => id));
  const listInState = (state: "scheduled" | "proposed"): string =>
    after
      .filter((publication) => scheduledIds.has(publication.id) && publication.state === state)
      .map(({ account, scheduledFor }) =>
        scheduledFor === null ? account : `${account}, ${formatTime(scheduledFor, timezone)}`,
      )
      .join("; ");
  const [stillScheduled, returned] = [listInState("scheduled"), listInState("proposed")];
  return [
    `${outcome}${missingFilenames.length === 0 ? "" : ` without ${formatFiles(missingFilenames)}`}.`,
    ...(stillScheduled === "" ? [] : [`Will be published with this content: ${stillScheduled}.`]),
    ...(returned === "" ? [] : [`Needs a new approval: ${returned}.`]),
  ].join(" ");
}

/** The most filenames in one sentence. */
const maxNames = 2;

const formatFiles = (filenames: readonly string[]): string =>
  filenames.length > maxNames ? `${filenames.length} files` : filenames.join(" and ");
