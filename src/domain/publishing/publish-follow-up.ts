import type { z } from "zod";
import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { cancelPublication } from "./change-publication.ts";
import { type PublicationView, toPublicationView } from "../model/publication.ts";
import type { publishPostOutput } from "./publish-post.ts";

type Output = z.infer<typeof publishPostOutput>;

/** The current state of the publications that a call of `publishPost` requested. */
export async function getPublishProgress(
  { publications, clock }: Pick<Deps, "publications" | "clock">,
  caller: Caller,
  requestedOutput: Output,
): Promise<{ output: Output; hasEnded: boolean }> {
  authorize(caller, "publications.request");
  const ids = requestedOutput.publications.map(({ id }) => id);
  // A publication that is not found was deleted with its post.
  const views = (await publications.listByIds(caller.studio.id, ids)).map(toPublicationView);
  return { output: { publications: views }, hasEnded: views.every((view) => isSettled(view, clock())) };
}

/** Whether no worker will change the publication soon: it is proposed, scheduled for later, final, or needs a user. */
function isSettled({ state, scheduledFor }: PublicationView, now: number): boolean {
  if (state === "scheduled") return scheduledFor !== null && Date.parse(scheduledFor) > now;
  return state !== "publishing";
}

/** Cancels the publications that have not started. */
export async function cancelRequestedPublications(
  deps: Parameters<typeof cancelPublication>[0],
  caller: Caller,
  { publications }: Output,
): Promise<void> {
  for (const { id } of publications)
    await cancelPublication(deps, caller, { publicationId: id }).catch((error: unknown) => {
      if (!(error instanceof AppError) || (error.code !== "too_late" && error.code !== "not_found")) throw error;
    });
}
