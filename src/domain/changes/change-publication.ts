import { hours, toIsoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller, Operator } from "../caller.ts";
import type { ActivityAction } from "../model/activity.ts";
import { undefinedOnConflict } from "../model/conflict.ts";
import { canHappen, nextState, openStates, type PublicationEvent } from "../model/publication-states.ts";
import { maxOpenPublicationsPerStudio, maxPublicationsPerPost, type Publication } from "../model/publication.ts";
import { countParts, type PublishedPart } from "../model/publication-parts.ts";
import { isDueAtOnce, unscheduledColumns } from "../model/publish-time.ts";
import { resultAges } from "../model/results.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { PublicationChange, PublicationCondition } from "../ports/publications.ts";
import { writes } from "../ports/write-stores.ts";
import { recordActivity } from "./record-activity.ts";
import { updatePublication } from "./writes/publication-rows.ts";

export type PublicationAction = Extract<ActivityAction, `publication.${string}`>;

export type PublicationActor = Partial<Pick<Caller, "user" | "client">> | Operator;

/** Activity without a user is activity of the worker. */
export const workerActor: PublicationActor = {};

/** Records a change of state, in the transaction of the change. */
export async function recordPublicationActivity(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  actor: PublicationActor,
  action: PublicationAction,
  publication: Publication,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { id, studioId, postId, connectionId, revision } = publication;
  const studio = { id: studioId };
  await recordActivity(deps, tx, { ...actor, studio }, action, id, { postId, connectionId, revision, ...detail });
}

type ChangeDeps = Pick<Deps, "newId" | "clock">;

/** A step of a publication's state machine. */
export interface PublicationStep {
  event: PublicationEvent;
  change: PublicationChange;
  /** What else must still be true, apart from the state. */
  condition?: Omit<PublicationCondition, "states">;
  /** The activity to record; the publication's timeline shows it. */
  action: PublicationAction;
  detail?: Record<string, unknown> | undefined;
}

/**
 * Applies an event to a publication: the only way to change its state. Records the activity and wakes the workers if a
 * run is due. Throws `ConflictError` if the publication has changed since it was read, and `review_pending` if it would be
 * scheduled while a review holds the post.
 */
export async function changePublication(
  deps: ChangeDeps,
  tx: Tx,
  actor: PublicationActor,
  publication: Publication,
  { event, change, condition, action, detail }: PublicationStep,
): Promise<Publication> {
  const state = nextState(publication, event);
  if (state === "scheduled" && (await isHeldByReview(tx, publication))) throw new AppError("review_pending");
  const isMoved = change.scheduledFor !== undefined && change.scheduledFor !== publication.scheduledFor;
  const changes = { ...change, state, ...(isMoved ? { slotAt: null } : {}) };
  const changedPublication = await updatePublication(tx, publication, changes, condition);
  if (isDueAtOnce(changedPublication)) await tx.publications.announceDue();
  if (state === "published") await planResults(tx, changedPublication);
  await recordPublicationActivity(deps, tx, actor, action, changedPublication, detail);
  return changedPublication;
}

/** Whether a review holds the post. Locks the post, so that this stays true until the transaction ends. */
export async function isHeldByReview(
  tx: Tx,
  { studioId, postId }: Pick<Publication, "studioId" | "postId">,
): Promise<boolean> {
  await tx.posts.lock(studioId, postId);
  return tx.reviews.isHeld(postId);
}

/** A post whose remote id is unknown, because a person confirmed it, can't be read. */
async function planResults(tx: Tx, { id, connectionId, publishedAt, remoteId }: Publication): Promise<void> {
  if (publishedAt === null || remoteId === null) return;
  const dueAt = publishedAt + hours(resultAges[0]);
  await tx.results.plan({ publicationId: id, connectionId, publishedAt, dueAt });
}

/** Like `changePublication`, but returns undefined if the publication has changed since it was read. */
export const tryChangePublication = (...args: Parameters<typeof changePublication>): Promise<Publication | undefined> =>
  changePublication(...args).catch(undefinedOnConflict);

/** `slots`: at the first of these times that is free, instead of at its own time. */
export interface NewPublication {
  publication: Publication;
  slots?: readonly number[] | undefined;
}

/**
 * Stores new publications of a post, which the transaction has locked, so that parallel calls can't exceed its limit.
 * Those for other posts can exceed the limit of the studio by what they store. Throws `already_scheduled` if the post has
 * an open publication for one of the accounts, and `no_free_slot`.
 */
export async function insertPublications(
  deps: ChangeDeps,
  tx: Tx,
  actor: PublicationActor,
  postId: string,
  publications: readonly NewPublication[],
): Promise<void> {
  if ((await tx.publications.countByPost(postId)) + publications.length > maxPublicationsPerPost)
    throw new AppError("quota_exceeded:publications", { limit: maxPublicationsPerPost });
  const openLimit = maxOpenPublicationsPerStudio - publications.length;
  const studioId = publications[0]?.publication.studioId;
  if (studioId !== undefined && (await tx.publications.hasMoreOpen(studioId, openLimit)))
    throw new AppError("quota_exceeded:open_publications", { limit: maxOpenPublicationsPerStudio });
  const schedules = publications.some(({ publication }) => publication.state === "scheduled");
  if (schedules && (await tx.reviews.isHeld(postId))) throw new AppError("review_pending");
  const openPublications = await tx.publications.listByPost(postId, openStates);
  const openAccounts = new Set(openPublications.map(({ connectionId }) => connectionId));
  if (publications.some(({ publication }) => openAccounts.has(publication.connectionId)))
    throw new AppError("already_scheduled");
  // In one order, because requests that wait for each other's slots would otherwise deadlock.
  const ordered = publications.toSorted((a, b) => (a.publication.connectionId < b.publication.connectionId ? -1 : 1));
  let isAnyDue = false;
  for (const newPublication of ordered) {
    const publication = await insertAtFreeTime(tx, newPublication);
    if (!publication) throw new AppError(newPublication.slots ? "no_free_slot" : "already_scheduled");
    const { state, scheduledFor } = publication;
    const action = state === "proposed" ? "publication.proposed" : "publication.scheduled";
    const at = scheduledFor === null ? null : toIsoTime(scheduledFor);
    await recordPublicationActivity(deps, tx, actor, action, publication, { at });
    isAnyDue ||= isDueAtOnce(publication);
  }
  if (isAnyDue) await tx.publications.announceDue();
}

/** Undefined if the time is taken. A parallel request for the same slot waits here until this one commits. */
async function insertAtFreeTime(tx: Tx, { publication, slots }: NewPublication): Promise<Publication | undefined> {
  const { insert } = tx[writes].publications;
  if (!slots) return (await insert(publication)) ? publication : undefined;
  for (const slotAt of slots) {
    const isScheduled = publication.state === "scheduled";
    const schedule = isScheduled ? { dueAt: slotAt, nextRunAt: slotAt, approvedTime: slotAt } : {};
    const planned = { ...publication, scheduledFor: slotAt, ...schedule };
    if (await insert(planned, slotAt)) return planned;
  }
  return undefined;
}

/**
 * Stores the part that the last commit made public, in the transaction of the change of state. Returns the columns that
 * change with it, and when the first part became public.
 */
export async function recordPart(
  tx: Tx,
  publication: Publication,
  part: Omit<PublishedPart, "part">,
): Promise<{ isLast: boolean; columns: PublicationChange; publishedAt: number }> {
  const { publicParts, content } = publication;
  const { remoteId, url, publishedAt } = part;
  const partCount = content ? countParts(content) : 1;
  const columns = publicParts === 0 ? { remoteId, url } : {};
  if (partCount === 1) return { isLast: true, columns, publishedAt };
  await tx[writes].publications.insertPart(publication, { ...part, part: publicParts });
  return {
    isLast: publicParts + 1 === partCount,
    columns: { ...columns, publicParts: publicParts + 1 },
    publishedAt: (await tx.publications.listParts(publication.id))[0]?.publishedAt ?? publishedAt,
  };
}

/** Publications to cancel per transaction: few, so that other writes wait only briefly. */
export const cancelBatchSize = 50;

/** Cancels publications that have not started, except those that start in the meantime. Leaves out started ones. */
export async function cancelPublications(
  deps: ChangeDeps,
  tx: Tx,
  actor: PublicationActor,
  publications: readonly Publication[],
): Promise<void> {
  for (const publication of publications.filter((each) => canHappen("cancel", each)))
    await tryChangePublication(deps, tx, actor, publication, {
      event: "cancel",
      change: unscheduledColumns,
      action: "publication.canceled",
    });
}

/**
 * Stores what a run sends. `digest`: only if this is what was approved, because an edit since the claim may have changed
 * that. Throws `ConflictError` otherwise, and if the worker has lost its claim.
 */
export async function recordRunStart(
  deps: ChangeDeps,
  tx: Tx,
  publication: Publication,
  change: Pick<PublicationChange, "content" | "revision" | "approvedRevision" | "progress">,
  digest?: string,
): Promise<Publication> {
  const condition = { fence: publication.fence, ...(digest === undefined ? {} : { digest }) };
  const startedPublication = await updatePublication(tx, publication, change, condition);
  await recordPublicationActivity(deps, tx, workerActor, "publication.started", startedPublication);
  return startedPublication;
}
