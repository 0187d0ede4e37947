import { hours } from "#lib/clock.ts";
import { changePublication, recordRunStart } from "../changes/change-publication.ts";
import { ConflictError, undefinedOnConflict } from "../conflict.ts";
import type { PlatformConnection } from "../platforms/connection.ts";
import type { AccessToken } from "../platforms/ports.ts";
import { mayPublishWithoutApproval } from "../policy.ts";
import { scopes } from "../caller.ts";
import { createCallWithToken } from "./call-with-token.ts";
import { applyStepInTransaction, LostClaimError, updateClaimed, type WorkerDeps } from "./claim.ts";
import { digestContent, readContent, toSentContent } from "./content.ts";
import { endAborted, markFailed, markPublished, retryLater, retryWindow, type Problem } from "./end-run.ts";
import type { CommitOutcome, FailedOutcome, Publication, PublicationContent, PublishRequest } from "./ports.ts";
import type { PublicationProgress } from "./progress.ts";
import { workerActor } from "./publication.ts";
import { findPublishProblems } from "./publish-post.ts";
import { unscheduledColumns } from "./publish-time.ts";
import { reconcile } from "./reconcile-publication.ts";
import { fitContent } from "../renditions/fit-content.ts";

/** Shorter than the 24 hours for which platforms keep media without a post. */
const uploadLifetime = hours(20);

/** Runs a claimed publication once. Each step is an update that has no effect unless the row has the claim's fence. */
export async function runPublication(
  deps: WorkerDeps,
  claimedPublication: Publication,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (claimedPublication.state === "committing") await reconcile(deps, claimedPublication);
    else await prepareAndCommit(deps, claimedPublication, signal);
  } catch (error) {
    if (error instanceof LostClaimError || error instanceof ConflictError) return;
    throw error;
  }
}

async function prepareAndCommit(deps: WorkerDeps, claimedPublication: Publication, signal: AbortSignal): Promise<void> {
  const connection = await deps.platformStore.find(claimedPublication.studioId, claimedPublication.connectionId);
  const problem = await findStartProblem(deps, claimedPublication, connection);
  if (problem || !connection) return markFailed(deps, claimedPublication, problem ?? disconnectedProblem);
  // The user chose to publish again, but the last commit may have made the post public. Find that out with the content
  // that it sent, before the post is read again.
  const sentContent = claimedPublication.progress?.sentContent;
  const startedPublication = claimedPublication.content
    ? claimedPublication
    : await (sentContent
        ? continueRun(deps, claimedPublication, sentContent)
        : startRun(deps, claimedPublication, connection));
  if (!startedPublication?.content) return;
  const content =
    sentContent ??
    (await untilAborted(signal, fitContent(deps, claimedPublication.studioId, connection, startedPublication.content)));
  if (!content) return endAborted(deps, startedPublication, signal);
  if ("kind" in content) return endUnpublished(deps, startedPublication, content);
  // Stored, because a repeated commit must name the same files and sizes.
  const fittedPublication = await updateClaimed(deps, startedPublication, { content });
  const request: Omit<PublishRequest, keyof AccessToken> = {
    connection,
    content: toSentContent(content),
    progress: fittedPublication.progress ?? { mediaIds: {} },
    commitKey: deps.newSecret(),
  };
  const callWithToken = createCallWithToken(deps, fittedPublication);
  const preparation = await callWithToken((token) =>
    deps.publisher.prepare(
      { ...request, ...token },
      async (progress) => {
        const uploadedSince = progress.uploadedSince ?? (await deps.publications.getTime());
        request.progress = { ...progress, digest: digestContent(content), uploadedSince };
        // If the earlier commit has failed, the next run reads the content of the post, even if this one crashes now.
        const mustReadPost = sentContent && !progress.sentContent;
        await updateClaimed(deps, fittedPublication, {
          progress: request.progress,
          ...(mustReadPost ? { content: null } : {}),
        });
      },
      signal,
    ),
  );
  if (signal.aborted) return endAborted(deps, fittedPublication, signal);
  // Other outcomes do not show whether an earlier commit made the post public.
  const isKnownUnpublished = !request.progress.isPublic && ["prepared", "rejected"].includes(preparation.kind);
  // The earlier commit made nothing public, and the post was edited since then: publish it as it is now.
  if (sentContent && isKnownUnpublished && digestContent(sentContent) !== fittedPublication.digest) {
    const resetPublication = await updateClaimed(deps, fittedPublication, { content: null, progress: null });
    return prepareAndCommit(deps, resetPublication, signal);
  }
  if (preparation.kind !== "prepared") {
    const endedPublication = { ...fittedPublication, progress: isKnownUnpublished ? null : request.progress };
    return endUnpublished(deps, endedPublication, preparation);
  }
  // From here on the post may be public, so this is recorded before the request is sent.
  const { progress, commitKey } = request;
  const committedAt = await deps.publications.getTime();
  const committingPublication = await deps.transact({ job: "publish" }, async (tx) => {
    if (!(await tx.studios.find(fittedPublication.studioId))) throw new LostClaimError(); // deleted since the claim
    return applyStepInTransaction(deps, tx, fittedPublication, {
      event: "commit",
      action: "publication.committed",
      change: { progress, commitKey, committedAt },
    });
  });
  // Not aborted at shutdown: the drain waits for the commit.
  const outcome = await callWithToken((token) =>
    deps.publisher.commit({ ...request, ...token, committedAt: committingPublication.committedAt ?? undefined }),
  );
  await endCommitting(deps, committingPublication, outcome);
}

/** Resolves to undefined if the signal aborts before the work ends. The work then continues in the background. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, ...(signal.aborted ? [undefined] : [aborted])]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => undefined);
  }
}

/** Ends a run that made nothing public. */
async function endUnpublished(deps: WorkerDeps, publication: Publication, outcome: FailedOutcome): Promise<void> {
  switch (outcome.kind) {
    case "rejected":
      return markFailed(deps, publication, outcome);
    case "reconnect":
      return markFailed(deps, publication, { code: "connect_expired", message: outcome.message });
    case "retry_later":
    case "unknown":
      return retryLater(deps, publication, outcome);
  }
}

async function endCommitting(deps: WorkerDeps, publication: Publication, outcome: CommitOutcome): Promise<void> {
  if (outcome.kind === "published") return markPublished(deps, publication, outcome);
  if (outcome.kind === "unknown") return reconcile(deps, publication);
  if (outcome.kind === "processing") {
    const { processingId } = outcome;
    const progress = { mediaIds: {}, ...publication.progress, processingId };
    return reconcile(deps, await updateClaimed(deps, publication, { progress }));
  }
  return endUnpublished(deps, publication, outcome);
}

const disconnectedProblem: Problem = { code: "not_found", message: "The account is no longer connected." };

/** Checks what may have changed since the request: the time, the user, the grant and the account. */
async function findStartProblem(
  deps: WorkerDeps,
  publication: Publication,
  connection: PlatformConnection | undefined,
): Promise<Problem | undefined> {
  const { studioId, approvedBy, requestedBy, requestedGrantId, requestedClientId, startedAt } = publication;
  const now = await deps.publications.getTime();
  if (startedAt !== null && now > startedAt + retryWindow)
    return { code: "platform_unavailable", message: "It couldn’t be published within an hour." };
  if (connection?.state !== "connected")
    return { code: "connect_expired", message: "The account must be connected again." };
  const userId = approvedBy ?? requestedBy;
  const member = userId === null ? undefined : await deps.memberships.findEnabled(studioId, userId);
  if (!member || !mayPublishWithoutApproval({ role: member.role, scopes }, member.approval))
    return { code: "forbidden", message: "The person who approved or requested it may no longer publish." };
  if (approvedBy === null && requestedClientId !== null) {
    const grant = requestedGrantId === null ? undefined : await deps.grants.find(requestedGrantId);
    if (grant?.revokedAt !== null)
      return { code: "forbidden", message: "The AI client that requested it no longer has access." };
  }
  return undefined;
}

/** Stores the content of the earlier commit, and its revision: the post may have been edited since then. */
function continueRun(deps: WorkerDeps, publication: Publication, content: PublicationContent): Promise<Publication> {
  const { sentRevision: revision = publication.revision } = publication.progress ?? {};
  return deps.transact({ job: "publish" }, (tx) => recordRunStart(deps, tx, publication, { content, revision }));
}

/**
 * Stores the content to send. Returns undefined if the run ends here: the content differs from the approved content, so
 * the publication needs a new approval, or an edit since the request made the post unpublishable.
 */
async function startRun(
  deps: WorkerDeps,
  publication: Publication,
  connection: PlatformConnection,
): Promise<Publication | undefined> {
  return deps.transact({ job: "publish" }, async (tx) => {
    const post = await tx.posts.lock(publication.studioId, publication.postId);
    if (!post) throw new LostClaimError();
    const assets = await tx.assets.listByPosts([post.id]);
    const content = await readContent(tx, publication, post, assets);
    const digest = digestContent(content);
    const change = {
      content,
      revision: post.revision,
      approvedRevision: post.revision,
      progress: selectProgress(publication, digest, await tx.publications.getTime()),
    };
    const rejections = await findPublishProblems({ ...deps, ...tx }, post, assets, [connection]);
    // `fitContent` opens images that have not been opened yet.
    const problems = rejections
      .flatMap((rejection) => rejection.problems)
      .filter(({ code }) => code !== "image_unreadable");
    const problem = { code: "not_publishable", message: problems.map(({ message }) => message).join(" ") };
    // Compares with the approved digest in the row, because an edit since the claim may have changed it.
    const updatedPublication = await (
      problems.length === 0
        ? recordRunStart(deps, tx, publication, change, digest)
        : changePublication(deps, tx, workerActor, publication, {
            event: "fail",
            change: { ...change, ...unscheduledColumns, problem },
            condition: { fence: publication.fence, digest },
            action: "publication.failed",
            detail: { code: problem.code, reason: problem.message },
          })
    ).catch(undefinedOnConflict);
    if (updatedPublication) return problems.length === 0 ? updatedPublication : undefined;
    await applyStepInTransaction(deps, tx, publication, {
      event: "voidApproval",
      action: "publication.returned",
      change: { ...unscheduledColumns, approvedBy: null, digest, revision: post.revision },
    });
    return undefined;
  });
}

/** Keeps the uploads of an earlier run of the same content, unless they have expired. */
function selectProgress({ progress }: Publication, digest: string, now: number): PublicationProgress {
  const emptyProgress = { mediaIds: {}, digest, uploadedSince: now };
  if (progress?.digest !== digest) return emptyProgress;
  const isExpired = now - (progress.uploadedSince ?? now) > uploadLifetime;
  return isExpired ? emptyProgress : progress;
}
