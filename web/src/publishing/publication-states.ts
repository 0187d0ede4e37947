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

/** The title of the publication's post, which is deleted if it is in the trash. */
export const getPostTitle = (publication: Pick<Publication, "postTitle"> | undefined): string =>
  publication?.postTitle === null ? "A deleted post" : (publication?.postTitle ?? "A post");

export const sentBackLabel = "Sent back";

/** The page of a publication in another state has a notice instead. */
type DescribedState = Exclude<VisibleState, "failed" | "missed" | "unconfirmed">;

const stateDescriptions: Record<Exclude<DescribedState, "proposed" | "scheduled">, string> = {
  publishing: "It is being sent to the platform right now.",
  published: "The platform confirmed it.",
  canceled: "It was canceled before it started. Nothing was published.",
};

const missedText = "The server was down at the scheduled time, so nothing was published.";

/** What happened to a failed or missed publication. */
export const describeFailure = ({ state, problem }: Pick<Publication, "state" | "problem">): string =>
  state === "missed" ? missedText : `${problem?.message ?? "The publication failed."} Nothing was published.`;

export const failureNextSteps = {
  missed: "Choose a new time or cancel it.",
  /** The post has a newer publication for the same account. */
  superseded: "A newer publication has replaced it.",
} as const;

/** What happened to a missed publication, and what to do next. */
export const describeMissed = (isSuperseded: boolean): string =>
  `${missedText} ${failureNextSteps[isSuperseded ? "superseded" : "missed"]}`;

/** What the state of a publication without a problem means. */
export function describeState(state: DescribedState, scheduledFor: Publication["scheduledFor"]): string {
  const isInFuture = scheduledFor !== null && Date.parse(scheduledFor) > Date.now();
  if (state === "proposed")
    return isInFuture
      ? "Nothing is published until someone approves it. After approval, it’s published at the time below."
      : "It’s published as soon as someone approves it.";
  if (state === "scheduled")
    return isInFuture ? "It will be published at the scheduled time." : "It will be published shortly.";
  return stateDescriptions[state];
}

/** Publications in these states can be canceled, and rescheduled if `canReschedule`. */
export const changeableStates: readonly VisibleState[] = ["proposed", "scheduled", "missed"];

/**
 * A missed publication is checked like a new one. It can't be rescheduled if a newer one replaced it, because the post
 * could be published twice, or if its account must be reconnected first.
 */
export const canReschedule = (state: VisibleState, isSuperseded: boolean, mustReconnect = false): boolean =>
  changeableStates.includes(state) && !(state === "missed" && (isSuperseded || mustReconnect));

/** After these states, a post can be published to the same account again. */
export const repeatableStates: readonly VisibleState[] = ["failed", "canceled"];

/** Whether the publication starts as soon as it is approved. */
export const isProposedWithoutTime = ({ state, scheduledFor }: Pick<Publication, "state" | "scheduledFor">): boolean =>
  state === "proposed" && scheduledFor === null;
