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

/** The worker no longer has its claim: another worker took over the publication, or a user changed it. */
export class LostClaimError extends Error {
  override readonly name = "LostClaimError";
}

/** A step of a run that changes the state of its publication. */
export interface RunStep {
  event: PublicationEvent;
  /** The activity to record; the publication's timeline shows it. */
  action: PublicationAction;
  change: PublicationChange;
  detail?: Record<string, unknown>;
}

/** Changes the state and records the activity if the worker still has its claim; throws `LostClaimError` otherwise. */
export function applyStep(deps: WorkerDeps, publication: Publication, step: RunStep): Promise<Publication> {
  return deps.transact({ job: "publish" }, (tx) => applyStepInTransaction(deps, tx, publication, step));
}

/** `applyStep` as part of the caller's transaction. */
export async function applyStepInTransaction(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Stores,
  publication: Publication,
  { event, action, change, detail }: RunStep,
): Promise<Publication> {
  const updatedPublication = await updateClaimed(tx, publication, {
    ...change,
    state: nextState(publication.state, event),
  });
  await recordPublicationActivity(deps, tx, workerActor, action, updatedPublication, detail);
  return updatedPublication;
}

/**
 * Writes a change if the worker still has its claim; throws `LostClaimError` otherwise. To change the state, use
 * `applyStep`, which also records the activity.
 */
export async function updateClaimed(
  { publications }: Pick<Stores, "publications">,
  { id, state, fence }: Publication,
  change: PublicationChange,
): Promise<Publication> {
  const updatedPublication = await publications.update(id, change, { states: [state], fence });
  if (!updatedPublication) throw new LostClaimError();
  return updatedPublication;
}
