import { formatPlans } from "../publishing/format-plans.ts";

interface PlannedPublication {
  id: string;
  account: string;
  state: string;
  scheduledFor: string | null;
  hasLostApproval?: true | undefined;
}

/**
 * Says that a revision was restored, or that changes were undone, without which files, and what that means for the
 * publications that were scheduled before, or that a change had returned for approval.
 */
export function describeRestore(
  outcome: string,
  missingFilenames: readonly string[],
  timezone: string,
  before: readonly PlannedPublication[] = [],
  after: readonly PlannedPublication[] = [],
): string {
  const describe = (label: string, stateBefore: string, stateAfter: string): string[] => {
    const ids = before
      .filter(({ state, hasLostApproval }) => state === stateBefore && (state === "scheduled" || hasLostApproval))
      .map(({ id }) => id);
    const publications = after.filter(({ id, state }) => state === stateAfter && ids.includes(id));
    return publications.length === 0 ? [] : [`${label}: ${formatPlans(publications, timezone)}.`];
  };
  return [
    `${outcome}${missingFilenames.length === 0 ? "" : ` without ${formatFiles(missingFilenames)}`}.`,
    ...describe("Will be published with this content", "scheduled", "scheduled"),
    ...describe("Scheduled again", "proposed", "scheduled"),
    ...describe("Needs a new approval", "scheduled", "proposed"),
    ...describe("Still waits for approval", "proposed", "proposed"),
  ].join(" ");
}

/** The most filenames in one sentence. */
const maxNames = 2;

const formatFiles = (filenames: readonly string[]): string =>
  filenames.length > maxNames ? `${filenames.length} files` : filenames.join(" and ");
