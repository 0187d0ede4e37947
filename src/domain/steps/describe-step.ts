import { toIsoTime } from "#lib/clock.ts";
import { nextState, type PublicationEvent, sentBackCode } from "../model/publication-states.ts";
import type { Publication } from "../model/publication.ts";
import type { PublicationChange } from "../ports/publications.ts";

/** What the activity of a user says about a change of state. */
export function describeStep(
  publication: Publication,
  event: PublicationEvent,
  { scheduledFor = publication.scheduledFor, problem }: PublicationChange,
): Record<string, unknown> {
  return {
    from: publication.state,
    to: nextState(publication, event),
    ...(problem?.code === sentBackCode ? { sentBack: true } : {}),
    ...(scheduledFor === null ? {} : { at: toIsoTime(scheduledFor) }),
  };
}
