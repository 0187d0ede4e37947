import type { Publication, VisibleState } from "../api/publication-queries.ts";

export const stateLabels: Record<VisibleState, string> = {
  proposed: "Waiting for approval",
  scheduled: "Scheduled",
  publishing: "Publishing",
  published: "Published",
  failed: "Failed",
  unconfirmed: "Unconfirmed",
  missed: "Missed",
  canceled: "Canceled",
};

const stateDescriptions: Record<Exclude<VisibleState, "proposed" | "scheduled" | "failed" | "missed">, string> = {
  publishing: "It is being sent to the platform right now.",
  published: "The platform confirmed it.",
  unconfirmed: "The platform didn’t confirm it. Check the account, then say whether the post is there.",
  canceled: "It was canceled before it started. Nothing was published.",
};

/** What happened to a failed or missed publication. */
export const describeFailure = ({ state, problem }: Pick<Publication, "state" | "problem">): string =>
  state === "missed"
    ? "The server was down at the scheduled time, so nothing was published."
    : `${problem?.message ?? "The publication failed."} Nothing was published.`;

export const failureNextSteps = {
  failed: "Publish it again, or change the post first.",
  missed: "Choose a new time or cancel it.",
  /** The post has a newer publication for the same account. */
  superseded: "A newer publication has replaced it.",
} as const;

/** What the state means, and what to do next. */
export function describeState(
  { state, scheduledFor, problem }: Pick<Publication, "state" | "scheduledFor" | "problem">,
  isSuperseded: boolean,
): string {
  if (state === "failed" || state === "missed")
    return `${describeFailure({ state, problem })} ${failureNextSteps[isSuperseded ? "superseded" : state]}`;
  const isInFuture = scheduledFor !== null && Date.parse(scheduledFor) > Date.now();
  if (state === "proposed")
    return isInFuture
      ? "Nothing is published until someone approves it. After approval, it’s published at the time below."
      : "It’s published as soon as someone approves it.";
  if (state === "scheduled")
    return isInFuture ? "It will be published at the scheduled time." : "It will be published shortly.";
  return stateDescriptions[state];
}

/** Per post and account, only one publication can be in one of these states. */
export const openStates: readonly VisibleState[] = ["proposed", "scheduled", "publishing", "unconfirmed"];

/** Publications in these states can be canceled, and rescheduled if `canReschedule`. */
export const changeableStates: readonly VisibleState[] = ["proposed", "scheduled", "missed"];

/** A missed publication that a newer one replaced can't be rescheduled, because the post could be published twice. */
export const canReschedule = (state: VisibleState, isSuperseded: boolean): boolean =>
  changeableStates.includes(state) && !(state === "missed" && isSuperseded);

/** After these states, a post can be published to the same account again. */
export const repeatableStates: readonly VisibleState[] = ["failed", "canceled"];
