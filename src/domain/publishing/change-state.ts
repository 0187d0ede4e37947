import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { changePublication, type PublicationAction } from "../changes/change-publication.ts";
import { retryOnConflict } from "../model/conflict.ts";
import { canHappen, type PublicationEvent } from "../model/publication-states.ts";
import {
  type Publication,
  type PublicationView,
  type PublicationWithNames,
  tooLateError,
  toPublicationView,
} from "../model/publication.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { PublicationChange } from "../ports/publications.ts";
import { describeStep } from "../steps/describe-step.ts";
import { getPublication } from "../steps/get-publication.ts";

export type ChangeDeps = Pick<Deps, "publications" | "transact" | "newId" | "clock" | "wakeWorker">;

interface StateChange {
  event: PublicationEvent;
  change: PublicationChange;
}

/** Applies an event in one transaction. Throws `too_late` if the publication's state does not allow the event. */
export async function changeState(
  deps: ChangeDeps,
  caller: Caller,
  publicationId: string,
  action: PublicationAction,
  decide: (publication: PublicationWithNames, tx: Tx) => StateChange | Promise<StateChange>,
): Promise<PublicationView> {
  const changedPublication = await retryOnConflict(async (): Promise<PublicationWithNames> => {
    const publication = await getPublication(deps, caller, publicationId);
    return deps.transact(caller, async (tx) =>
      applyEvent(deps, tx, caller, publication, action, await decide(publication, tx)),
    );
  });
  deps.wakeWorker();
  return toPublicationView(changedPublication);
}

/** What only a person who may publish can do. */
const approvalEvents: readonly PublicationEvent[] = ["approve", "unapprove", "confirm", "publishAgain", "continue"];

/** `changeState` as part of the caller's transaction. The caller retries on a conflict and then wakes the worker. */
export async function applyEvent(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  publication: PublicationWithNames,
  action: PublicationAction,
  { event, change }: StateChange,
): Promise<PublicationWithNames> {
  assertPossible(publication, event);
  // The studio's rule may have changed since `authorizeApprover`.
  if (approvalEvents.includes(event) && !tx.mayPublish) throw new AppError("forbidden:approve");
  const { fence, scheduledFor } = publication;
  const changedPublication = await changePublication(deps, tx, caller, publication, {
    event,
    change,
    condition: { fence, scheduledFor },
    action,
    detail: describeStep(publication, event, change),
  });
  const { requestedByName, approvedByName } = await getPublication(tx, caller, publication.id);
  return { ...publication, ...changedPublication, requestedByName, approvedByName };
}

/** Throws `too_late` if the event can't happen in the publication's state. */
export function assertPossible(publication: Publication, event: PublicationEvent): void {
  if (!canHappen(event, publication)) throw tooLateError(publication);
}
