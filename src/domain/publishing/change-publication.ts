import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Asset } from "../model/asset.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { authorize, mayPublishWithoutApproval } from "../policy.ts";
import type { Post } from "../model/post.ts";
import { id } from "../model/text.ts";
import { assertPossible, type ChangeDeps, changeState } from "./change-state.ts";
import { digestContent } from "../model/publication-content.ts";
import { readContent } from "../changes/read-content.ts";
import {
  type Publication,
  type PublicationView,
  type PublicationWithNames,
  tooLateError,
} from "../model/publication.ts";
import type { PublicationProgress } from "../model/publication-progress.ts";
import { getPublication } from "../steps/get-publication.ts";
import { parsePublishTime, publishTime, toScheduleColumns, unscheduledColumns } from "../model/publish-time.ts";
import { recordPart } from "../changes/change-publication.ts";
import { countParts, createPartsProblem } from "../model/publication-parts.ts";
import type { PublicationChange } from "../ports/publications.ts";
import { assertPublishable } from "../steps/find-publish-problems.ts";
import { openStates, sentBackCode } from "../model/publication-states.ts";

export const cancelPublicationInput = z.strictObject({ publicationId: id });
export const cancelPublicationOutput = z.object({ canceled: z.string().describe("The publication's id.") });

/** Cancels a publication that has not started. */
export async function cancelPublication(
  deps: ChangeDeps,
  caller: Caller,
  input: z.infer<typeof cancelPublicationInput>,
): Promise<PublicationView> {
  authorize(caller, "publications.request");
  return changeState(deps, caller, input.publicationId, "publication.canceled", () => ({
    event: "cancel",
    change: unscheduledColumns,
  }));
}

/** What a publication stores when it is sent back, so that its requester can tell this from a cancellation. */
const sentBackProblem = { code: sentBackCode, message: "Changes were asked for in a comment on the post." };

/** Cancels a proposal whose approver asked for changes in a comment, in the web app only. */
export async function sendBackPublication(
  deps: ChangeDeps & Pick<Deps, "studios">,
  caller: Caller,
  input: z.infer<typeof cancelPublicationInput>,
): Promise<PublicationView> {
  await authorizeApprover(deps, caller);
  return changeState(deps, caller, input.publicationId, "publication.canceled", (publication) => {
    assertPossible(publication, "approve");
    return { event: "cancel", change: { ...unscheduledColumns, problem: sentBackProblem } };
  });
}

export const reschedulePublicationInput = z.strictObject({ publicationId: id, at: publishTime });

/**
 * Changes the time. The publication needs a new approval if the caller may not publish without one, or if it was missed
 * and its content has changed since then. A missed publication is checked like a new one. A publication that is still
 * open can be postponed even if the platform would reject the post now, so that there is time to fix it.
 */
export async function reschedulePublication(
  deps: ChangeDeps & Pick<Deps, "studios" | "platforms">,
  caller: Caller,
  input: z.infer<typeof reschedulePublicationInput>,
): Promise<PublicationView> {
  authorize(caller, "publications.request");
  const scheduledFor = parsePublishTime(input.at, deps.clock());
  return changeState(deps, caller, input.publicationId, "publication.rescheduled", async (publication, tx) => {
    assertPossible(publication, "reschedule");
    if (publication.state === "proposed") return { event: "reschedule", change: { scheduledFor } };
    const current = publication.state === "missed" ? await checkMissed(deps, tx, publication) : publication;
    const hasSameContent = current.digest === publication.digest;
    if (tx.mayPublish && hasSameContent) {
      const schedule = toScheduleColumns(scheduledFor, await tx.publications.getTime());
      return { event: "reschedule", change: { ...unscheduledColumns, ...schedule, approvedTime: scheduledFor } };
    }
    const { digest, revision } = current;
    const change = { ...unscheduledColumns, scheduledFor, approvedBy: null, digest, revision };
    return { event: "rescheduleWithoutApproval", change };
  });
}

/**
 * Returns what the account of a missed publication would receive now. Throws `already_scheduled` if the post has an open
 * publication for the same account, and `not_publishable` if the platform would reject the post.
 */
async function checkMissed(
  deps: Pick<Deps, "platforms">,
  tx: Tx,
  publication: Publication,
): Promise<Pick<Publication, "digest" | "revision">> {
  const { post, assets } = await lockPost(tx, publication);
  await assertNoneOpen(tx, publication);
  await assertAccountAccepts(deps, tx, publication, post, assets);
  return { digest: digestContent(await readContent(tx, publication, post, assets)), revision: post.revision };
}

/** Throws `already_scheduled` if the post, which is locked, has an open publication for the same account. */
async function assertNoneOpen(tx: Tx, { postId, connectionId }: Publication): Promise<void> {
  const openPublications = await tx.publications.listByPost(postId, openStates);
  if (openPublications.some((each) => each.connectionId === connectionId)) throw new AppError("already_scheduled");
}

export async function lockPost(
  tx: Tx,
  { studioId, postId }: Pick<Publication, "studioId" | "postId">,
): Promise<{ post: Post; assets: readonly Asset[] }> {
  const post = await tx.posts.lock(studioId, postId);
  if (!post) throw notFoundError("post");
  return { post, assets: await tx.assets.listByPosts([postId]) };
}

/** Throws `not_publishable` if the platform would reject the post as it is now. */
async function assertAccountAccepts(
  deps: Pick<Deps, "platforms">,
  tx: Tx,
  { studioId, connectionId }: Publication,
  post: Post,
  assets: readonly Asset[],
): Promise<void> {
  const connection = await tx.platformStore.find(studioId, connectionId);
  await assertPublishable({ ...deps, ...tx }, post, assets, connection ? [connection] : []);
}

export const resolvePublicationInput = z.discriminatedUnion("outcome", [
  z.strictObject({
    outcome: z.literal("published"),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional(),
  }),
  z.strictObject({ outcome: z.literal("retry") }),
]);

/**
 * Resolves an unconfirmed publication, in the web app only: a user confirms it, or asks to publish it again, which
 * throws `not_publishable` if the platform would reject the post.
 */
export async function resolvePublication(
  deps: ChangeDeps & Pick<Deps, "studios" | "platforms" | "publisher" | "platformStore">,
  caller: Caller,
  input: z.infer<typeof resolvePublicationInput> & { publicationId: string },
): Promise<PublicationView> {
  await authorizeApprover(deps, caller);
  if (input.outcome === "retry")
    return changeState(deps, caller, input.publicationId, "publication.resolved", async (publication, tx) => {
      assertPossible(publication, "publishAgain");
      if (publication.publicParts > 0)
        return { event: "publishAgain", change: toContinueColumns(publication, await tx.publications.getTime()) };
      const progress = keepCommit(deps, publication);
      // A post that was not edited since the commit may be public already. The next run finds out.
      if (progress?.digest !== publication.digest) {
        const { post, assets } = await lockPost(tx, publication);
        await assertAccountAccepts(deps, tx, publication, post, assets);
      }
      const schedule = toScheduleColumns(publication.scheduledFor, await tx.publications.getTime());
      const resetColumns = { problem: null, content: null, progress, commitKey: null, committedAt: null };
      return { event: "publishAgain", change: { ...unscheduledColumns, ...schedule, ...resetColumns } };
    });
  const { url = null } = input;
  if (url !== null) await assertPlatformHost(deps, caller, input.publicationId, url);
  return changeState(deps, caller, input.publicationId, "publication.resolved", async (publication, tx) => {
    assertPossible(publication, "confirm");
    const part = { remoteId: null, url, publishedAt: deps.clock() };
    const { isLast, columns, publishedAt } = await recordPart(tx, publication, part);
    const { content, publicParts } = publication;
    const problem = isLast || !content ? null : createPartsProblem(publicParts + 1, content);
    return { event: "confirm", change: { ...columns, publishedAt, problem } };
  });
}

/** Sends the missing parts of a publication, as they were approved, in the web app only. */
export async function continuePublication(
  deps: ChangeDeps & Pick<Deps, "studios">,
  caller: Caller,
  { publicationId }: z.infer<typeof cancelPublicationInput>,
): Promise<PublicationView> {
  await authorizeApprover(deps, caller);
  return changeState(deps, caller, publicationId, "publication.continued", async (publication, tx) => {
    const { content, publicParts } = publication;
    if (!content || publicParts === countParts(content)) throw tooLateError(publication);
    assertPossible(publication, "continue");
    await lockPost(tx, publication);
    await assertNoneOpen(tx, publication);
    return { event: "continue", change: toContinueColumns(publication, await tx.publications.getTime()) };
  });
}

/** The columns of a publication whose next part is sent at once. */
const toContinueColumns = ({ scheduledFor }: Publication, now: number): PublicationChange => ({
  ...unscheduledColumns,
  ...toScheduleColumns(scheduledFor, now),
  startedAt: now,
  publishedAt: null,
  problem: null,
  progress: { platform: {} },
  commitKey: null,
  committedAt: null,
});

/** Keeps what the next run needs to read the status of the commit: the post may have become public by then. */
function keepCommit(
  { publisher }: Pick<Deps, "publisher">,
  { platform, progress, committedAt, content, revision }: PublicationWithNames,
): PublicationProgress | null {
  const sentContent = content ?? progress?.sentContent;
  if (!progress || !sentContent || !publisher.canCheckCommit(platform, progress.platform)) return null;
  const { digest, firstCommittedAt = committedAt ?? undefined } = progress;
  return { platform: progress.platform, digest, firstCommittedAt, sentContent, sentRevision: revision };
}

async function assertPlatformHost(
  deps: Pick<Deps, "publications" | "publisher" | "platformStore">,
  caller: Caller,
  publicationId: string,
  url: string,
): Promise<void> {
  const { connectionId } = await getPublication(deps, caller, publicationId);
  const connection = await deps.platformStore.find(caller.studio.id, connectionId);
  const hosts = connection ? deps.publisher.listPostHosts(connection) : [];
  const { hostname } = new URL(url);
  if (!hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`)))
    throw new AppError("invalid_input:publication_url", { hosts });
}

/** Only users who may publish can approve, and only in the web app: an AI client never can. */
export async function authorizeApprover({ studios }: Pick<Deps, "studios">, caller: Caller): Promise<void> {
  authorize(caller, "publications.approve");
  const studio = caller.client ? undefined : await studios.find(caller.studio.id);
  if (!studio || !mayPublishWithoutApproval(caller, studio.approval)) throw new AppError("forbidden:approve");
}
