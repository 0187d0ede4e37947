import {
  changePublication,
  isHeldByReview,
  type PublicationStep,
  workerActor,
} from "../../changes/change-publication.ts";
import { ConflictError } from "../../model/conflict.ts";
import type { Publication } from "../../model/publication.ts";
import { unscheduledColumns } from "../../model/publish-time.ts";
import type { Deps, JobDeps, Tx } from "../../ports/deps.ts";
import type { RunChange } from "../../ports/publications.ts";

/** The worker no longer has its claim: another worker took over the publication, or a user changed it. */
export class LostClaimError extends Error {
  override readonly name = "LostClaimError";
}

/** A step of a run that changes the state of its publication. */
export type RunStep = Omit<PublicationStep, "condition">;

/** Changes the state and records the activity if the worker still has its claim; throws `LostClaimError` otherwise. */
export function applyStep(deps: JobDeps, publication: Publication, step: RunStep): Promise<Publication> {
  return deps.transact({ job: "publish" }, (tx) => applyStepInTransaction(deps, tx, publication, step));
}

/** `applyStep` as part of the caller's transaction. What a review holds by now is not retried: it needs a new approval. */
export async function applyStepInTransaction(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  publication: Publication,
  step: RunStep,
): Promise<Publication> {
  const condition = { fence: publication.fence };
  const currentStep =
    step.event === "retry" && publication.publicParts === 0 && (await isHeldByReview(tx, publication))
      ? toReturn(step)
      : step;
  return changePublication(deps, tx, workerActor, publication, { ...currentStep, condition }).catch(throwLostClaim);
}

const toReturn = ({ change }: RunStep): RunStep => ({
  event: "voidApproval",
  action: "publication.returned",
  change: { ...change, ...unscheduledColumns, approvedBy: null },
  detail: { reason: "review" },
});

/**
 * Writes a change if the worker still has its claim; throws `LostClaimError` otherwise. To change the state, use
 * `applyStep`, which also records the activity.
 */
export async function updateClaimed(
  { publicationRuns }: Pick<JobDeps, "publicationRuns">,
  { id, state, fence }: Publication,
  change: RunChange,
): Promise<Publication> {
  const updatedPublication = await publicationRuns.update(id, change, { states: [state], fence });
  if (!updatedPublication) throw new LostClaimError();
  return updatedPublication;
}

function throwLostClaim(error: unknown): never {
  throw error instanceof ConflictError ? new LostClaimError() : error;
}
