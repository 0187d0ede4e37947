import { minutes, seconds } from "#lib/clock.ts";
import type { Publication } from "../../model/publication.ts";
import type { JobDeps } from "../../ports/deps.ts";
import type { CommitOutcome, LookUpOutcome } from "../../ports/publisher.ts";
import { createCallWithToken } from "../../steps/call-with-token.ts";
import { updateClaimed } from "./claim.ts";
import { markFailed, markPublished, markUnconfirmed } from "./end-run.ts";
import { readPart } from "./read-part.ts";

/** How long workers retry if the platform does not respond. */
const reconcileWindow = minutes(60);
/** If the post can't be found after this time, a user must check the account. Some platforms need longer. */
const defaultAppearanceMs = seconds(20);
const backoff = { minMs: 500, maxMs: seconds(15) } as const;

/**
 * Tries once to find out whether a commit made the post public. The commit is repeated only if the platform can't
 * publish it twice. If the outcome stays unknown, the publication waits for the next attempt, and finally for a user.
 */
export async function reconcile(deps: JobDeps, publication: Publication): Promise<void> {
  const { publisher, publications } = deps;
  const { commitKey, committedAt, studioId, connectionId } = publication;
  const connection = await deps.platformStore.find(studioId, connectionId);
  if (!publication.content || commitKey === null || committedAt === null || !connection)
    return markUnconfirmed(deps, publication);
  const now = await publications.getTime();
  const { platform = {}, firstCommittedAt = committedAt, lookedUpSince = now } = publication.progress ?? {};
  const part = await readPart(deps, publication, publication.content);
  const commitRequest = { ...part, connection, progress: platform, commitKey, committedAt };
  const elapsedMs = now - committedAt;
  const isTaken = (remoteId: string) => publications.isRemoteIdTaken(connectionId, remoteId);
  const callWithToken = createCallWithToken(deps, publication);
  const outcome = await callWithToken((token) =>
    publisher.lookUp({ ...commitRequest, ...token, firstCommittedAt, elapsedMs, isTaken }),
  );
  const attempt = { progress: { ...publication.progress, platform, lookedUpSince }, now, elapsedMs };
  if (outcome.kind !== "repeatable") return endAttempt(deps, publication, attempt, outcome);
  const repetition = await callWithToken(async (token) => {
    // Throws if the studio was deleted or another worker took over, for example during the lookup.
    await updateClaimed(deps, publication, { progress: attempt.progress });
    return publisher.commit({ ...commitRequest, ...token });
  });
  return endAttempt(deps, publication, attempt, toFinding(repetition, outcome.ifRejected));
}

/** What an attempt shows about the post. */
type Finding = Exclude<LookUpOutcome, { kind: "repeatable" }>;

/** A rejected repetition may prove nothing about the first request: the account may have been suspended since then. */
function toFinding(outcome: CommitOutcome, ifRejected: "failed" | "unconfirmed"): Finding {
  switch (outcome.kind) {
    case "rejected":
      return ifRejected === "failed" ? outcome : { kind: "undecidable", reason: outcome.message };
    case "processing": // no platform whose commits are repeatable returns it
      return { kind: "unknown", message: "the platform is processing the media" };
    default:
      return outcome;
  }
}

interface Attempt {
  /** With the time of the first lookup. */
  progress: NonNullable<Publication["progress"]> & { lookedUpSince: number };
  now: number;
  /** The time since the commit. */
  elapsedMs: number;
}

function endAttempt(deps: JobDeps, publication: Publication, attempt: Attempt, finding: Finding): Promise<void> {
  switch (finding.kind) {
    case "published":
      return markPublished(deps, publication, finding);
    case "rejected":
      return markFailed(deps, publication, finding);
    case "reconnect":
      return markUnconfirmed(deps, publication, finding.message);
    case "undecidable":
      return markUnconfirmed(deps, publication, finding.reason);
    case "not_found": {
      // Counts from the first lookup, not from the commit: the response may have taken long.
      const searchedMs = attempt.now - attempt.progress.lookedUpSince;
      return searchedMs > (finding.appearsWithinMs ?? defaultAppearanceMs)
        ? markUnconfirmed(deps, publication)
        : tryLater(deps, publication, attempt);
    }
    case "unknown":
    case "retry_later":
      return attempt.elapsedMs > reconcileWindow
        ? markUnconfirmed(deps, publication)
        : tryLater(deps, publication, attempt, finding.retryAfterMs);
  }
}

/**
 * Ends the lease, so that any worker can continue at `nextRunAt`. The state stays `committing`, so no other publication
 * of the account runs until then.
 */
async function tryLater(
  deps: JobDeps,
  publication: Publication,
  { progress, elapsedMs }: Attempt,
  retryAfterMs = 0,
): Promise<void> {
  const now = await deps.publications.getTime();
  const delayMs = Math.min(Math.max(elapsedMs / 2, backoff.minMs), backoff.maxMs);
  await updateClaimed(deps, publication, {
    progress,
    leaseExpiresAt: now,
    nextRunAt: now + Math.round(Math.min(Math.max(delayMs, retryAfterMs), reconcileWindow)),
  });
}
