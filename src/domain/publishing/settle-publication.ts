import { minutes, seconds } from "#lib/clock.ts";
import type { PlatformConnection } from "../platforms/connection.ts";
import { callWithToken } from "./call-with-token.ts";
import { updateClaimed, type WorkerDeps } from "./claim.ts";
import { fail, loseTrack, publish } from "./end-run.ts";
import type { CommitOutcome, LookUpOutcome, Publication, PublishRequest } from "./ports.ts";

/** How long a worker keeps asking a platform that does not respond. */
const settleWindow = minutes(60);
/** A post that an account does not show after this long needs a person. */
const absentWindow = seconds(20);
const backoff = { minMs: 500, maxMs: seconds(15) } as const;

/**
 * One attempt to find out what came of a request that makes a post public. The request is repeated only if that is
 * idempotent at the platform. If the outcome stays unknown, the publication waits for the next attempt, and finally
 * for a person.
 */
export async function settle(deps: WorkerDeps, publication: Publication): Promise<void> {
  const { content, commitKey, committedAt, studioId, connectionId } = publication;
  const connection = await deps.platformStore.find(studioId, connectionId);
  if (!content || commitKey === null || committedAt === null || !connection) return loseTrack(deps, publication);
  const elapsedMs = (await deps.publications.getTime()) - committedAt;
  const outcome = await callWithToken(deps, publication, (accessToken) =>
    reconcile(deps, publication, elapsedMs, {
      connection,
      accessToken,
      content,
      progress: publication.progress ?? { mediaIds: {} },
      commitKey,
      committedAt,
    }),
  );
  if (outcome.kind === "published") return publish(deps, publication, outcome);
  if (outcome.kind === "rejected") return fail(deps, publication, outcome);
  if (outcome.kind === "reconnect" || elapsedMs > (outcome.kind === "absent" ? absentWindow : settleWindow))
    return loseTrack(deps, publication);
  const now = await deps.publications.getTime();
  const delayMs = Math.min(Math.max(elapsedMs / 2, backoff.minMs), backoff.maxMs);
  const retryAfterMs = "retryAfterMs" in outcome ? (outcome.retryAfterMs ?? 0) : 0;
  // Without a lease, any worker continues at that time. Until then the account stays reserved.
  await updateClaimed(deps, publication, {
    leaseExpiresAt: now,
    nextRunAt: now + Math.round(Math.min(Math.max(delayMs, retryAfterMs), settleWindow)),
  });
}

async function reconcile(
  { publisher, publications }: WorkerDeps,
  { connectionId }: Publication,
  elapsedMs: number,
  request: PublishRequest & { connection: PlatformConnection },
): Promise<CommitOutcome | LookUpOutcome> {
  const { repeatWithinMs } = publisher.getReconciliation(request.connection.platform);
  if (repeatWithinMs !== undefined)
    // A platform that forgot the key would publish a second time.
    return elapsedMs < repeatWithinMs
      ? publisher.commit(request)
      : { kind: "reconnect", message: "the platform no longer knows the request" };
  const lookUp = await publisher.lookUp(request, (remoteId) => publications.isRemoteIdTaken(connectionId, remoteId));
  if (lookUp.kind !== "repeatable") return lookUp;
  const repetition = await publisher.commit(request);
  // The first request may have made the post public in the meantime: look again.
  return repetition.kind === "rejected" ? { kind: "unknown", message: repetition.message } : repetition;
}
