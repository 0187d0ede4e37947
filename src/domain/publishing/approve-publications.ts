import { z } from "zod";
import { seconds } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Caller } from "../caller.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { parsePostId, revisionConflictError } from "../model/post.ts";
import { id, isoTime } from "../model/text.ts";
import { authorizeApprover, lockPost } from "./change-publication.ts";
import { applyEvent, assertPossible, type ChangeDeps, changeState } from "./change-state.ts";
import { digestContent } from "../model/publication-content.ts";
import { readContent } from "../changes/read-content.ts";
import {
  type Publication,
  type PublicationView,
  type PublicationWithNames,
  toPublicationView,
} from "../model/publication.ts";
import { getPublication } from "../steps/get-publication.ts";
import { assertPublishable } from "../steps/find-publish-problems.ts";
import { toScheduleColumns, unscheduledColumns } from "../model/publish-time.ts";

type ApproveDeps = ChangeDeps & Pick<Deps, "studios" | "platforms">;

const revision = z.int32().min(1);
const seenTime = isoTime.nullable();
/** Leaves time to unapprove what would start at once. */
const startInSeconds = z.int32().min(0).max(60).default(0);

export const approvePublicationInput = z.strictObject({
  publicationId: id,
  revision,
  scheduledFor: seenTime.optional(),
  startInSeconds,
});

/** Approves a proposal, in the web app only. `revision` and `scheduledFor` are what the approver saw. */
export async function approvePublication(
  deps: ApproveDeps,
  caller: Caller,
  { publicationId, scheduledFor, ...input }: z.input<typeof approvePublicationInput>,
): Promise<PublicationView> {
  await authorizeApprover(deps, caller);
  const { postId } = await getPublication(deps, caller, publicationId);
  const publications = [{ id: publicationId, scheduledFor }];
  const [publication] = await approveProposals(deps, caller, { ...input, postId, publications });
  if (!publication) throw notFoundError("publication");
  return publication;
}

export const approvePostInput = z.strictObject({
  postId: id,
  revision,
  publications: z
    .array(z.strictObject({ id, scheduledFor: seenTime }))
    .min(1)
    .max(50)
    .refine((publications) => new Set(publications.map((publication) => publication.id)).size === publications.length, {
      error: "each publication once",
    }),
  startInSeconds,
});

/** Approves proposals of one post, all or none, in the web app only. */
export async function approvePost(
  deps: ApproveDeps,
  caller: Caller,
  input: z.input<typeof approvePostInput>,
): Promise<{ publications: PublicationView[] }> {
  await authorizeApprover(deps, caller);
  return { publications: await approveProposals(deps, caller, { ...input, postId: parsePostId(input.postId) }) };
}

interface Approval {
  postId: string;
  revision: number;
  publications: readonly { id: string; scheduledFor?: string | null | undefined }[];
  startInSeconds?: number | undefined;
}

async function approveProposals(deps: ApproveDeps, caller: Caller, approval: Approval): Promise<PublicationView[]> {
  const approvedPublications = await retryOnConflict(() =>
    deps.transact(caller, (tx) => approveInTransaction(deps, tx, caller, approval)),
  );
  deps.wakeWorker();
  return approvedPublications.map(toPublicationView);
}

async function approveInTransaction(
  deps: ApproveDeps,
  tx: Tx,
  caller: Caller,
  { postId, revision: seenRevision, publications: seenPublications, startInSeconds: delay = 0 }: Approval,
): Promise<PublicationWithNames[]> {
  const studioId = caller.studio.id;
  const ids = seenPublications.map((seen) => seen.id).filter((seenId) => isId("publication", seenId));
  const proposals = (await tx.publications.listByIds(studioId, ids)).filter((proposal) => proposal.postId === postId);
  if (proposals.length < seenPublications.length) throw notFoundError("publication");
  for (const proposal of proposals) assertPossible(proposal, "approve");
  const { post, assets } = await lockPost(tx, { studioId, postId });
  if (post.revision !== seenRevision) throw revisionConflictError(post.revision);
  if (!proposals.every((proposal, i) => isTimeUnchanged(proposal, seenPublications[i]?.scheduledFor)))
    throw new AppError("revision_conflict:time");
  const connections = await Promise.all(
    proposals.map(({ connectionId }) => tx.platformStore.find(studioId, connectionId)),
  );
  await assertPublishable(
    { ...deps, ...tx },
    post,
    assets,
    connections.filter((connection) => connection !== undefined),
  );
  const now = await tx.publications.getTime();
  const approvedPublications: PublicationWithNames[] = [];
  for (const proposal of proposals) {
    const { scheduledFor } = proposal;
    const change = {
      ...toScheduleColumns(scheduledFor, now, seconds(delay)),
      approvedBy: caller.user.id,
      approvedRevision: post.revision,
      approvedTime: scheduledFor,
      revision: post.revision,
      digest: digestContent(await readContent(tx, proposal, post, assets)),
    };
    const approvedPublication = await applyEvent(deps, tx, caller, proposal, "publication.approved", {
      event: "approve",
      change,
    });
    approvedPublications.push(approvedPublication);
  }
  return approvedPublications;
}

/** Whether the publication still has the time that the approver saw. True if the caller omits `time`. */
const isTimeUnchanged = ({ scheduledFor }: Publication, time: string | null | undefined): boolean =>
  time === undefined || scheduledFor === (time === null ? null : Date.parse(time));

/** Returns an approved publication that has not started to the proposals, in the web app only. */
export async function unapprovePublication(
  deps: ChangeDeps & Pick<Deps, "studios">,
  caller: Caller,
  { publicationId }: { publicationId: string },
): Promise<PublicationView> {
  await authorizeApprover(deps, caller);
  return changeState(deps, caller, publicationId, "publication.unapproved", () => ({
    event: "unapprove",
    // Without the approved revision, the proposal does not look like one that was changed after its approval.
    change: { ...unscheduledColumns, approvedBy: null, approvedRevision: null, approvedTime: null },
  }));
}
