import { minutes, seconds, toIsoTime } from "#lib/clock.ts";
import type { Publication } from "../../model/publication.ts";
import { unscheduledColumns } from "../../model/publish-time.ts";
import { countParts, createPartsProblem } from "../../model/publication-parts.ts";
import { recordPart } from "../../changes/change-publication.ts";
import type { PublicationChange } from "../../ports/publications.ts";
import type { JobDeps } from "../../ports/deps.ts";
import type { CommitOutcome, FailedOutcome } from "../../ports/publisher.ts";
import { applyStep, applyStepInTransaction } from "./claim.ts";

/** No retry starts later than this after the first attempt. */
export const retryWindow = minutes(60);

export interface Problem {
  code: string;
  message: string;
}

export async function markPublished(
  deps: JobDeps,
  publication: Publication,
  { remoteId, url, problem }: Extract<CommitOutcome, { kind: "published" }>,
): Promise<void> {
  // If another publication already has this remote id, the platform's response is about another post.
  if (await deps.publications.isRemoteIdTaken(publication.connectionId, remoteId))
    return markUnconfirmed(deps, publication);
  await deps.transact({ job: "publish" }, async (tx) => {
    const { isLast, columns, publishedAt } = await recordPart(tx, publication, {
      remoteId,
      url,
      publishedAt: deps.clock(),
    });
    const now = await tx.publications.getTime();
    await applyStepInTransaction(deps, tx, publication, {
      event: isLast ? "publish" : "publishPart",
      action: isLast ? "publication.published" : "publication.part_published",
      // Any worker can send the next part at once.
      change: isLast
        ? { ...columns, ...unscheduledColumns, publishedAt, problem: problem ?? null }
        : { ...columns, ...startOverColumns, progress: { platform: {} }, leaseExpiresAt: now, nextRunAt: now },
      detail: { url, ...describeParts(publication, publication.publicParts + 1) },
    });
    if (!isLast) await tx.publications.announceDue();
  });
}

/** Nothing is public, or only the parts before. */
export async function markFailed(deps: JobDeps, publication: Publication, { code, message }: Problem): Promise<void> {
  const { publicParts, content } = publication;
  if (publicParts > 0 && content)
    return deps.transact({ job: "publish" }, async (tx) => {
      const [firstPart] = await tx.publications.listParts(publication.id);
      const publishedAt = firstPart?.publishedAt ?? deps.clock();
      await applyStepInTransaction(deps, tx, publication, {
        event: "fail",
        action: "publication.incomplete",
        change: { ...unscheduledColumns, publishedAt, problem: createPartsProblem(publicParts, content, message) },
        detail: { code, reason: message, ...describeParts(publication, publicParts) },
      });
    });
  const change = { ...unscheduledColumns, problem: { code, message } };
  const detail = { code, reason: message };
  await applyStep(deps, publication, { event: "fail", action: "publication.failed", change, detail });
}

/** For a run that made nothing public. The commit of an earlier run, whose outcome is unknown, may have. */
export function giveUp(deps: JobDeps, publication: Publication, problem: Problem): Promise<void> {
  return publication.state === "preparing" && publication.progress?.sentContent
    ? markUnconfirmed(deps, publication, problem.message)
    : markFailed(deps, publication, problem);
}

/** For a run that can't find out whether the post is public: a user checks the account and resolves the publication. */
export async function markUnconfirmed(
  deps: JobDeps,
  publication: Publication,
  reason = "The platform didn’t confirm the post and may still be processing it.",
): Promise<void> {
  const part = publication.publicParts > 0 ? `Part ${publication.publicParts + 1}: ` : "";
  const problem = { code: "unconfirmed", message: `${part}${reason} Check the account, then say whether it is there.` };
  const { sentContent: content = publication.content, sentRevision: revision = publication.revision } =
    publication.progress ?? {};
  const change = { ...unscheduledColumns, problem, content, revision };
  await applyStep(deps, publication, { event: "leaveUnconfirmed", action: "publication.unconfirmed", change });
}

/** For the timeline: how many parts are public. */
const describeParts = ({ content }: Publication, publicParts: number): Record<string, unknown> =>
  content?.followUps ? { parts: [publicParts, countParts(content)] } : {};

const startOverColumns = { commitKey: null, committedAt: null } as const;

/**
 * The columns to change so that a later run starts again. That run reads the content of the post again, and keeps the
 * uploads that it can still use. Once a part is public, the content stays, and so does the account's turn.
 */
const toRetryColumns = ({ publicParts }: Publication, now: number, nextRunAt: number): PublicationChange =>
  publicParts === 0
    ? { ...startOverColumns, leaseExpiresAt: null, content: null, nextRunAt }
    : { ...startOverColumns, leaseExpiresAt: now, nextRunAt };

/** For a run that made nothing public: schedules the next run, unless it would start after the retry window. */
export async function retryLater(
  deps: JobDeps,
  publication: Publication,
  { retryAfterMs, message }: { retryAfterMs?: number | undefined; message: string },
): Promise<void> {
  const now = await deps.publications.getTime();
  const backoffMs = computeBackoff(publication.attempts);
  const nextRunAt = now + Math.max(retryAfterMs ?? 0, backoffMs);
  const retryUntil = (publication.startedAt ?? now) + retryWindow;
  if (nextRunAt > retryUntil) {
    const reason =
      now + backoffMs > retryUntil
        ? "Gave up after an hour"
        : `The platform asks to wait until ${toIsoTime(nextRunAt)}, and Atelier stops retrying before then`;
    return giveUp(deps, publication, { code: "platform_unavailable", message: `${reason}: ${message}.` });
  }
  const detail = { retryAt: nextRunAt, reason: message };
  const change = toRetryColumns(publication, now, nextRunAt);
  await applyStep(deps, publication, { event: "retry", action: "publication.delayed", change, detail });
}

const computeBackoff = (attempts: number): number => Math.min(seconds(2) * 2 ** Math.max(attempts - 1, 0), minutes(5));

/** Ends a run whose last call did not make the post public: any call of `prepare`, or a commit without `unknown`. */
export async function endUnpublished(deps: JobDeps, publication: Publication, outcome: FailedOutcome): Promise<void> {
  switch (outcome.kind) {
    case "rejected":
      return markFailed(deps, publication, outcome);
    case "reconnect":
      return giveUp(deps, publication, { code: "connect_expired", message: outcome.message });
    case "retry_later":
    case "unknown":
      return retryLater(deps, publication, outcome);
  }
}

/** Ends an aborted run, before anything is public. */
export function endAborted(deps: JobDeps, publication: Publication, { reason }: AbortSignal): Promise<void> {
  const hasTimedOut = reason instanceof DOMException && reason.name === "TimeoutError";
  return hasTimedOut
    ? retryLater(deps, publication, { message: "the transfer took too long" })
    : releaseClaim(deps, publication);
}

/** Ends the claim at shutdown, so that another worker can take the publication. */
async function releaseClaim(deps: JobDeps, publication: Publication): Promise<void> {
  await deps.transact({ job: "publish" }, async (tx) => {
    const now = await tx.publications.getTime();
    const change = toRetryColumns(publication, now, now);
    await applyStepInTransaction(deps, tx, publication, { event: "retry", action: "publication.delayed", change });
    await tx.publications.announceDue();
  });
}
