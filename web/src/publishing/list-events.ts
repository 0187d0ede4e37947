import type { PublicationDetail, VisibleState } from "../api/publication-queries.ts";
import { formatActor } from "../ui/format-actor.ts";
import { approvingActions, listKeptEdits } from "./list-kept-edits.ts";
import { wasSentBack } from "./sent-back.ts";

type Entry = PublicationDetail["timeline"][number];

export interface TimelineEvent {
  id: string;
  text: string;
  /** When it happened, or will happen; undefined if that is not known. */
  at?: string;
  /** The time that was requested or scheduled. */
  requestedTime?: string;
  reason?: string;
  isProblem: boolean;
  /** Whether it has not happened yet. */
  isNext?: boolean;
}

/** What happened, with the actor if a user or an AI client did it. */
const descriptions: Record<Entry["action"], (actor: string, entry: Entry) => string> = {
  "publication.proposed": (actor) => `Requested by ${actor}`,
  "publication.scheduled": (actor, { scheduledFor }) =>
    `${scheduledFor === null ? "Requested" : "Scheduled"} by ${actor}, no approval needed`,
  "publication.approved": (actor, { revision }) => `Approved by ${actor}, revision ${revision}`,
  "publication.unapproved": (actor, { user }) => `Approval undone by ${user ? actor : "the operator of this server"}`,
  "publication.returned": (actor) => `Changed by ${actor}`,
  "publication.rescheduled": (actor) => `Rescheduled by ${actor}`,
  "publication.canceled": (actor) => `Canceled by ${actor}`,
  "publication.started": () => "Publishing started",
  "publication.committed": () => "Sent to the platform",
  "publication.delayed": () => "Delayed. Atelier retries automatically",
  "publication.published": () => "Published",
  "publication.part_published": (_actor, { parts }) => `Published part ${parts?.join(" of ")}`,
  "publication.failed": () => "Failed. Nothing was published",
  "publication.incomplete": (_actor, { parts }) => `Ended. ${parts?.join(" of ")} parts are public`,
  "publication.continued": (actor) => `Continued by ${actor}`,
  "publication.unconfirmed": () => "The platform didn’t confirm it",
  "publication.missed": () => "Missed: the server was down at the scheduled time",
  "publication.resolved": (actor, { outcome, client }) =>
    outcome === "published"
      ? `Marked as published by ${actor}`
      : `${actor}${client ? "," : ""} chose to publish it again`,
};

const problemActions: readonly Entry["action"][] = [
  "publication.failed",
  "publication.incomplete",
  "publication.unconfirmed",
  "publication.missed",
];

/** Actions that set the time of the publication. */
const timedActions: readonly Entry["action"][] = [
  "publication.proposed",
  "publication.scheduled",
  "publication.rescheduled",
];

/** What happened to a publication, and what happens next, oldest first. */
export function listEvents(publication: PublicationDetail): TimelineEvent[] {
  const { timeline, state, scheduledFor } = publication;
  const nextEvent = nextEvents[state]?.(scheduledFor);
  const edits = listKeptEdits(publication).map(({ revision, isReviewed, nextId }) => ({
    id: `revision-${revision}`,
    text: `Post edited, now revision ${revision}${isReviewed ? ". The approval still applies" : ""}`,
    isProblem: false,
    nextId,
  }));
  return [
    ...timeline.flatMap((entry, index): TimelineEvent[] => {
      const { id, action, at, user, client, reason, outcome } = entry;
      const earlierActions = timeline.slice(0, index).map((earlier) => earlier.action);
      const losesApproval =
        action === "publication.returned" ||
        (action === "publication.rescheduled" &&
          outcome === "proposed" &&
          earlierActions.some((earlier) => approvingActions.includes(earlier)));
      const wasApproved = earlierActions.includes("publication.approved");
      const text =
        action === "publication.canceled" && wasSentBack(publication)
          ? `Sent back by ${formatActor(user, client)}, with a comment`
          : descriptions[action](formatActor(user, client), entry);
      const event = {
        id,
        text: losesApproval ? `${text}, so it ${wasApproved ? "needs a new approval" : "now needs approval"}` : text,
        at,
        isProblem: problemActions.includes(action),
        ...(entry.scheduledFor !== null && timedActions.includes(action) ? { requestedTime: entry.scheduledFor } : {}),
        ...(reason === null ? {} : { reason }),
      };
      return [...edits.filter(({ nextId }) => nextId === id), event];
    }),
    ...edits.filter(({ nextId }) => nextId === undefined),
    ...(nextEvent ? [{ id: "next", isProblem: false, isNext: true, ...nextEvent }] : []),
  ];
}

const nextEvents: Partial<Record<VisibleState, (scheduledFor: string | null) => Pick<TimelineEvent, "text" | "at">>> = {
  proposed: () => ({ text: "Waiting for approval" }),
  scheduled: (scheduledFor) =>
    scheduledFor === null ? { text: "Starts in a moment" } : { text: "Starts", at: scheduledFor },
  missed: () => ({ text: "Waiting for a new time" }),
};
