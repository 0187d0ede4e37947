import type { Publication } from "../api/publication-queries.ts";
import { formatActor } from "../ui/format-actor.ts";

export interface TimelineEvent {
  text: string;
  /** Undefined if the time was not recorded. */
  at?: string;
  detail?: string;
}

/** What happened to a publication, and what happens next, oldest first. */
export function listEvents(publication: Publication): TimelineEvent[] {
  const { state, requestedBy, requestedThrough, approvedBy, scheduledFor, publishedAt, problem, createdAt } =
    publication;
  const requester = formatActor(requestedBy, requestedThrough === null ? null : { name: requestedThrough });
  const detail = problem ? { detail: problem.message } : {};
  const scheduled = scheduledFor === null ? {} : { at: scheduledFor };
  const lastEvents: Record<Publication["state"], TimelineEvent[]> = {
    proposed: [{ text: "Waiting for a person’s approval" }],
    scheduled: [{ text: scheduledFor === null ? "Starts in a moment" : "Starts", ...scheduled, ...detail }],
    publishing: [{ text: "Being sent to the platform", ...detail }],
    published: [{ text: "Published", ...(publishedAt === null ? {} : { at: publishedAt }) }],
    failed: [{ text: "Failed. Nothing was published", ...detail }],
    unconfirmed: [{ text: "Sent, but not confirmed by the platform", ...detail }],
    missed: [{ text: "Missed: the server was down at its time", ...scheduled }],
    canceled: [{ text: "Canceled" }],
  };
  return [
    { text: `Requested by ${requester}`, at: createdAt },
    ...(approvedBy ? [{ text: `Approved by ${approvedBy.name}` }] : []),
    ...(scheduledFor !== null && state !== "scheduled" && state !== "missed"
      ? [{ text: "Planned for", at: scheduledFor }]
      : []),
    ...lastEvents[state],
  ];
}
