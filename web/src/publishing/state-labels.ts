import type { VisibleState } from "../api/publication-queries.ts";

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

/** What the state means, and what to do next. */
export const stateDescriptions: Record<VisibleState, string> = {
  proposed: "It goes out once a person approves it.",
  scheduled: "Approved. It goes out at its time.",
  publishing: "It is being sent to the platform right now.",
  published: "The platform confirmed it.",
  failed: "Nothing was published. Fix the problem, then publish the post again.",
  unconfirmed: "The platform didn’t confirm it. Check the account, then say whether the post is there.",
  missed: "It was due while the server was down. It never goes out late by itself: choose a new time or cancel it.",
  canceled: "It was canceled before it started. Nothing was published.",
};

/** Per post and account, only one publication can be in one of these states. */
export const openStates: readonly VisibleState[] = ["proposed", "scheduled", "publishing", "unconfirmed"];

/** Publications in these states can be canceled and rescheduled. */
export const changeableStates: readonly VisibleState[] = ["proposed", "scheduled", "missed"];
