import { minutes, seconds } from "#lib/clock.ts";
import type { PlatformConnection } from "../platforms/connection.ts";
import { createCallWithToken } from "./call-with-token.ts";
import { updateClaimed, type WorkerDeps } from "./claim.ts";
import { toSentContent } from "./content.ts";
import { markFailed, markPublished, markUnconfirmed } from "./end-run.ts";
import type { CommitOutcome, LookUpOutcome, Publication, PublishRequest } from "./ports.ts";

/** How long workers retry if the platform does not respond. */
const reconcileWindow = minutes(60);
/** If the post can't be found after this time, a user must check the account. Some platforms need longer. */
const defaultAppearanceMs = seconds(20);
const backoff = { minMs: 500, maxMs: seconds(15) } as const;

/**
 * Tries once to find out whether a commit made the post public. The commit is repeated only if the platform can't
 * publish it twice. If the outcome stays unknown, the publication waits for the next attempt, and finally for a user.
 */
export async function reconcile(deps: WorkerDeps, publication: Publication): Promise<void> {
  const { content, commitKey, committedAt, studioId, connectionId } = publication;
  const connection = await deps.platformStore.find(studioId, connectionId);
  if (!content || commitKey === null || committedAt === null || !connection) return markUnconfirmed(deps, publication);
  const attemptedAt = await deps.publications.getTime();
  const elapsedMs = attemptedAt - committedAt;
  // The time to appear counts from the first lookup, not from the commit: the response may have taken long.
  const lookedUpSince = publication.progress?.lookedUpSince ?? attemptedAt;
  const progress = { mediaIds: {}, ...publication.progress, lookedUpSince };
  const callWithToken = createCallWithToken(deps, publication);
  const outcome = await callWithToken((token) =>
    repeatOrLookUp(deps, publication, elapsedMs, {
      ...token,
      connection,
      content: toSentContent(content),
      progress,
      commitKey,
      committedAt,
    }),
  );
  if (outcome.kind === "published") return markPublished(deps, publication, outcome);
  if (outcome.kind === "rejected") return markFailed(deps, publication, outcome);
  if (outcome.kind === "unrepeatable") return markUnconfirmed(deps, publication, outcome.message);
  if (outcome.kind === "unreadable" || outcome.kind === "reconnect") return markUnconfirmed(deps, publication);
  const hasTimedOut =
    outcome.kind === "unidentified"
      ? attemptedAt - lookedUpSince > (outcome.appearsWithinMs ?? defaultAppearanceMs)
      : elapsedMs > reconcileWindow;
  if (hasTimedOut) return markUnconfirmed(deps, publication);
  const now = await deps.publications.getTime();
  const delayMs = Math.min(Math.max(elapsedMs / 2, backoff.minMs), backoff.maxMs);
  const retryAfterMs = "retryAfterMs" in outcome ? (outcome.retryAfterMs ?? 0) : 0;
  // The lease ends now, so any worker can continue at `nextRunAt`. The state stays `committing`, so no other
  // publication of the account runs until then.
  await updateClaimed(deps, publication, {
    ...(publication.progress?.lookedUpSince === undefined ? { progress } : {}),
    leaseExpiresAt: now,
    nextRunAt: now + Math.round(Math.min(Math.max(delayMs, retryAfterMs), reconcileWindow)),
  });
}

/**
 * The platform no longer recognizes the commit's key and would publish a second time, or it rejected the repetition.
 */
interface UnrepeatableOutcome {
  kind: "unrepeatable";
  message?: string;
}

async function repeatOrLookUp(
  deps: WorkerDeps,
  publication: Publication,
  elapsedMs: number,
  request: PublishRequest & { connection: PlatformConnection },
): Promise<CommitOutcome | LookUpOutcome | UnrepeatableOutcome> {
  const { publisher, publications } = deps;
  const repeatCommit = async (): Promise<CommitOutcome> => {
    // Throws if the studio was deleted or another worker took over, for example during the lookup.
    await updateClaimed(deps, publication, { progress: request.progress });
    return publisher.commit(request);
  };
  const { repeatWithinMs, isRejectionFinal = false } = publisher.getReconciliation(request.connection.platform);
  if (repeatWithinMs !== undefined) {
    if (elapsedMs >= repeatWithinMs) return { kind: "unrepeatable" };
    const outcome = await repeatCommit();
    // Proves nothing about the first request: the account may have been suspended since then, for example.
    return outcome.kind === "rejected" && !isRejectionFinal
      ? { kind: "unrepeatable", message: outcome.message }
      : outcome;
  }
  const lookUpOutcome = await publisher.lookUp(request, (remoteId) =>
    publications.isRemoteIdTaken(publication.connectionId, remoteId),
  );
  if (lookUpOutcome.kind !== "repeatable") return lookUpOutcome;
  const repeatedOutcome = await repeatCommit();
  // A rejected repetition proves nothing: the first request may have made the post public in the meantime. `unknown`
  // makes the next attempt look up the post again.
  return repeatedOutcome.kind === "rejected" ? { kind: "unknown", message: repeatedOutcome.message } : repeatedOutcome;
}
