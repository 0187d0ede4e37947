import type { Deps, Stores } from "../deps.ts";
import type { Publication, PublicationChange } from "./ports.ts";
import { recordPublicationActivity, workerActor, type PublicationAction } from "./publication.ts";
import { nextState, type PublicationEvent } from "./states.ts";

export type WorkerDeps = Pick<
  Deps,
  | "publications"
  | "memberships"
  | "grants"
  | "platforms"
  | "platformStore"
  | "publisher"
  | "assets"
  | "files"
  | "media"
  | "imageInspections"
  | "vault"
  | "transact"
  | "newId"
  | "newSecret"
  | "clock"
  | "sleep"
>;

/** The worker no longer has the publication: another one took it over, or it was changed. */
export class LostClaimError extends Error {
  override readonly name = "LostClaimError";
}

/** A step of a run. */
export interface RunStep {
  event: PublicationEvent;
  /** What the timeline says. */
  action: PublicationAction;
  change: PublicationChange;
  detail?: Record<string, unknown>;
}

/** Applies an event if the worker still has its claim. */
export function changeState(deps: WorkerDeps, publication: Publication, step: RunStep): Promise<Publication> {
  return deps.transact((tx) => changeStateIn(deps, tx, publication, step));
}

export async function changeStateIn(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  publication: Publication,
  { event, action, change, detail }: RunStep,
): Promise<Publication> {
  const updated = await updateClaimed(tx, publication, { ...change, state: nextState(publication.state, event) });
  await recordPublicationActivity(deps, tx, workerActor, action, updated, detail);
  return updated;
}

/**
 * Writes a change if the worker still has its claim; throws `LostClaimError` otherwise. To change the state, use
 * `changeState`, which also records the activity.
 */
export async function updateClaimed(
  { publications }: Pick<Stores, "publications">,
  { id, state, fence }: Publication,
  change: PublicationChange,
): Promise<Publication> {
  const updated = await publications.update(id, change, { states: [state], fence });
  if (!updated) throw new LostClaimError();
  return updated;
}
