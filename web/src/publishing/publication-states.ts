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

const stateDescriptions: Record<Exclude<VisibleState, "proposed" | "scheduled">, string> = {
  publishing: "It is being sent to the platform right now.",
  published: "The platform confirmed it.",
  failed: "Nothing was published. Fix the problem, then publish it again.",
  unconfirmed: "The platform didn’t confirm it. Check the account, then say whether the post is there.",
  missed: "The server was down at the scheduled time, so nothing was published. Choose a new time or cancel it.",
  canceled: "It was canceled before it started. Nothing was published.",
};

/** A missed publication whose post has a newer publication for the same account. */
const supersededDescription =
  "The server was down at the scheduled time, so nothing was published. A newer publication has replaced it.";

/** What the state means, and what to do next. */
export function describeState(
  { state, scheduledFor }: Pick<Publication, "state" | "scheduledFor">,
  isSuperseded: boolean,
): string {
  const isInFuture = scheduledFor !== null && Date.parse(scheduledFor) > Date.now();
  if (state === "proposed")
    return isInFuture
      ? "Nothing is published until someone approves it. After approval, it’s published at the time below."
      : "It’s published as soon as someone approves it.";
  if (state === "scheduled")
    return isInFuture ? "It will be published at the scheduled time." : "It will be published shortly.";
  if (state === "missed" && isSuperseded) return supersededDescription;
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
