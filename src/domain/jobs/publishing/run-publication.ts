import { ConflictError } from "../../model/conflict.ts";
import type { PlatformConnection } from "../../model/connection.ts";
import { digestContent, type PublicationContent } from "../../model/publication-content.ts";
import type { PlatformProgress } from "../../model/publication-progress.ts";
import type { Publication } from "../../model/publication.ts";
import type { JobDeps } from "../../ports/deps.ts";
import type { PrepareOutcome } from "../../ports/publisher.ts";
import { fitContent } from "../../steps/renditions.ts";
import { type CallWithToken, createCallWithToken } from "../../steps/call-with-token.ts";
import { applyStepInTransaction, LostClaimError, updateClaimed } from "./claim.ts";
import { endAborted, endUnpublished, giveUp, markPublished, retryLater } from "./end-run.ts";
import { parentUnknownOutcome, readPart } from "./read-part.ts";
import { reconcile } from "./reconcile-publication.ts";
import { checkStart, continueRun, startRun } from "./start-run.ts";

/** What every step of a run uses. */
interface Run {
  deps: JobDeps;
  connection: PlatformConnection;
  callWithToken: CallWithToken;
  signal: AbortSignal;
}

/** A publication whose content is stored, so that later edits don't change what is sent. */
type StartedPublication = Publication & { content: PublicationContent };

interface PreparedCommit {
  /** `already_committed`: an earlier commit made the post public, or the platform still processes it. */
  kind: "prepared" | "already_committed";
  publication: StartedPublication;
  progress: PlatformProgress;
}

type PreparedRun =
  | PreparedCommit
  /** The run has ended before its commit; the publication says why. */
  | { kind: "ended" };

/** Runs a claimed publication once. Each step is an update that has no effect unless the row has the claim's fence. */
export async function runPublication(deps: JobDeps, publication: Publication, signal: AbortSignal): Promise<void> {
  try {
    if (publication.state === "committing") await reconcile(deps, publication);
    else await prepareAndCommit(deps, publication, signal);
  } catch (error) {
    if (error instanceof LostClaimError || error instanceof ConflictError) return;
    throw error;
  }
}

async function prepareAndCommit(deps: JobDeps, publication: Publication, signal: AbortSignal): Promise<void> {
  const start = await checkStart(deps, publication);
  if (start.kind === "problem") return giveUp(deps, publication, start.problem);
  const { connection } = start;
  const run: Run = { deps, connection, callWithToken: createCallWithToken(deps, publication), signal };
  const sentContent = publication.progress?.sentContent;
  const preparation = await (sentContent ? prepareAgain(run, publication, sentContent) : preparePost(run, publication));
  if (preparation.kind === "ended") return;
  const committingPublication = await recordCommit(deps, preparation);
  if (preparation.kind === "prepared") await commit(run, committingPublication);
  else await reconcile(deps, committingPublication);
}

/**
 * A user chose to publish again, but the last commit may have made the post public. Finds that out with the content that
 * it sent. If it made nothing public, and the post was edited since then, prepares the post as it is now.
 */
async function prepareAgain(run: Run, publication: Publication, sentContent: PublicationContent): Promise<PreparedRun> {
  const started = {
    ...(publication.content ? publication : await continueRun(run.deps, publication, sentContent)),
    content: sentContent,
  };
  const outcome = await prepareAtPlatform(run, started);
  // `rejected` can only be about the files or the text. After `expired`, the next run starts over with the post as it is.
  const madeNothingPublic = outcome.kind === "prepared" || outcome.kind === "rejected";
  const isEdited = digestContent(sentContent) !== started.digest;
  return madeNothingPublic && isEdited && !run.signal.aborted
    ? preparePost(run, await discardPreparation(run.deps, started))
    : endPreparation(run, started, outcome);
}

/** Prepares the post as it is now, or as an earlier process has stored it. */
async function preparePost(run: Run, publication: Publication): Promise<PreparedRun> {
  const { content } = publication;
  if (content && publication.publicParts > 0) {
    const started = { ...publication, content };
    return endPreparation(run, started, await prepareAtPlatform(run, started));
  }
  if (content) return prepareContent(run, { ...publication, content });
  const start = await startRun(run.deps, publication, run.connection);
  return start.kind === "started" ? prepareContent(run, start.publication) : start;
}

async function prepareContent(run: Run, publication: StartedPublication): Promise<PreparedRun> {
  const { deps, connection, signal } = run;
  const fit = await waitUnlessAborted(fitContent(deps, publication.studioId, connection, publication.content), signal);
  if (!fit) return end(endAborted(deps, publication, signal));
  if (fit.kind !== "fitted") return end(endUnpublished(deps, publication, fit));
  const { content } = fit;
  // Stored, because a repeated commit must name the same files and sizes.
  const fittedPublication = { ...(await updateClaimed(deps, publication, { content })), content };
  return endPreparation(run, fittedPublication, await prepareAtPlatform(run, fittedPublication));
}

/** Uploads the files, and saves what the platform's module has done so far. */
async function prepareAtPlatform(
  { deps, connection, callWithToken, signal }: Run,
  publication: StartedPublication,
): Promise<PrepareOutcome> {
  const part = await readPart(deps, publication, publication.content);
  if (part.isParentUnknown) return parentUnknownOutcome;
  // A call that is repeated with a renewed token continues with what the first one saved.
  let platform = publication.progress?.platform ?? {};
  const saveProgress = (progress: PlatformProgress) => {
    platform = progress;
    return updateClaimed(deps, publication, { progress: { ...publication.progress, platform } });
  };
  return callWithToken((token) =>
    deps.publisher.prepare({ ...token, ...part, connection, progress: platform }, saveProgress, signal),
  );
}

/** Ends the run unless its commit can be sent. */
async function endPreparation(
  { deps, signal }: Run,
  publication: StartedPublication,
  outcome: PrepareOutcome,
): Promise<PreparedRun> {
  if (signal.aborted) return end(endAborted(deps, publication, signal));
  switch (outcome.kind) {
    case "prepared":
    case "already_committed":
      return { ...outcome, publication };
    case "expired": {
      const message = "the prepared post has failed or expired at the platform";
      return end(retryLater(deps, await discardPreparation(deps, publication), { message }));
    }
    default:
      return end(endUnpublished(deps, publication, outcome));
  }
}

async function end(work: Promise<void>): Promise<PreparedRun> {
  await work;
  return { kind: "ended" };
}

/** Nothing is public. The next run, or the rest of this one, reads the post again and uploads its files again. */
const discardPreparation = (deps: JobDeps, publication: Publication): Promise<Publication> =>
  updateClaimed(deps, publication, { content: null, progress: null });

type CommittingPublication = StartedPublication & { commitKey: string; committedAt: number };

/** From here on the post may be public, so this is recorded before the request is sent. */
async function recordCommit(
  deps: JobDeps,
  { publication, progress: platform }: PreparedCommit,
): Promise<CommittingPublication> {
  const commitKey = deps.newSecret();
  const committedAt = await deps.publications.getTime();
  const progress = { ...publication.progress, platform };
  return deps.transact({ job: "publish" }, async (tx) => {
    if (!(await tx.studios.find(publication.studioId))) throw new LostClaimError(); // deleted since the claim
    const committingPublication = await applyStepInTransaction(deps, tx, publication, {
      event: "commit",
      action: "publication.committed",
      change: { progress, commitKey, committedAt },
    });
    return { ...committingPublication, content: publication.content, commitKey, committedAt };
  });
}

/** Sends the commit. Not aborted at shutdown: the drain waits for it. */
async function commit({ deps, connection, callWithToken }: Run, publication: CommittingPublication): Promise<void> {
  const { commitKey, committedAt } = publication;
  const part = await readPart(deps, publication, publication.content);
  const progress = publication.progress?.platform ?? {};
  const outcome = await callWithToken((token) =>
    deps.publisher.commit({ ...token, ...part, connection, progress, commitKey, committedAt }),
  );
  switch (outcome.kind) {
    case "published":
      return markPublished(deps, publication, outcome);
    case "processing": {
      const change = { progress: { ...publication.progress, platform: outcome.progress } };
      return reconcile(deps, await updateClaimed(deps, publication, change));
    }
    case "unknown":
      return reconcile(deps, publication);
    default:
      return endUnpublished(deps, publication, outcome);
  }
}

/** Resolves to undefined if the signal aborts before the work ends. The work then continues in the background. */
async function waitUnlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
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
