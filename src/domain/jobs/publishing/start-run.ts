import { hours } from "#lib/clock.ts";
import { scopes } from "../../caller.ts";
import { changePublication, recordRunStart, workerActor } from "../../changes/change-publication.ts";
import { readContent } from "../../changes/read-content.ts";
import { undefinedOnConflict } from "../../model/conflict.ts";
import type { PlatformConnection } from "../../model/connection.ts";
import { digestContent, type PublicationContent } from "../../model/publication-content.ts";
import type { PublicationProgress } from "../../model/publication-progress.ts";
import type { Publication } from "../../model/publication.ts";
import { unscheduledColumns } from "../../model/publish-time.ts";
import type { JobDeps } from "../../ports/deps.ts";
import { mayPublishWithoutApproval } from "../../policy.ts";
import { findPublishProblems } from "../../steps/find-publish-problems.ts";
import { applyStepInTransaction, LostClaimError } from "./claim.ts";
import { type Problem, retryWindow } from "./end-run.ts";

/** Shorter than the 24 hours for which platforms keep media without a post. */
const uploadLifetime = hours(20);

type StartCheck = { kind: "startable"; connection: PlatformConnection } | { kind: "problem"; problem: Problem };

/** Checks what may have changed since the request: the time, the user, the grant and the account. */
export async function checkStart(deps: JobDeps, publication: Publication): Promise<StartCheck> {
  const { studioId, connectionId, approvedBy, requestedBy, requestedGrantId, requestedClientId } = publication;
  const problem = (code: string, message: string): StartCheck => ({ kind: "problem", problem: { code, message } });
  const now = await deps.publications.getTime();
  if (publication.startedAt !== null && now > publication.startedAt + retryWindow)
    return problem("platform_unavailable", "It couldn’t be published within an hour.");
  const connection = await deps.platformStore.find(studioId, connectionId);
  if (connection?.state !== "connected") return problem("connect_expired", "The account must be connected again.");
  const userId = approvedBy ?? requestedBy;
  const member = userId === null ? undefined : await deps.memberships.findEnabled(studioId, userId);
  if (!member || !mayPublishWithoutApproval({ role: member.role, scopes }, member.approval))
    return problem("forbidden", "The person who approved or requested it may no longer publish.");
  if (approvedBy === null && requestedClientId !== null) {
    const grant = requestedGrantId === null ? undefined : await deps.grants.find(requestedGrantId);
    if (grant?.revokedAt !== null) return problem("forbidden", "The AI client that requested it no longer has access.");
  }
  return { kind: "startable", connection };
}

/** Stores the content of the earlier commit, and its revision: the post may have been edited since then. */
export function continueRun(
  deps: JobDeps,
  publication: Publication,
  content: PublicationContent,
): Promise<Publication> {
  const { sentRevision: revision = publication.revision } = publication.progress ?? {};
  return deps.transact({ job: "publish" }, (tx) => recordRunStart(deps, tx, publication, { content, revision }));
}

type RunStart =
  | { kind: "started"; publication: Publication & { content: PublicationContent } }
  /**
   * The content differs from the approved content, so the publication needs a new approval, or an edit since the request
   * made the post unpublishable.
   */
  | { kind: "ended" };

/** Stores the content to send: the post as it is now. */
export async function startRun(
  deps: JobDeps,
  publication: Publication,
  connection: PlatformConnection,
): Promise<RunStart> {
  return deps.transact({ job: "publish" }, async (tx) => {
    const post = await tx.posts.lock(publication.studioId, publication.postId);
    if (!post) throw new LostClaimError(); // deleted since the claim, with its publications
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
    // If the conflict was the fence instead, this throws `LostClaimError`.
    if (!updatedPublication)
      await applyStepInTransaction(deps, tx, publication, {
        event: "voidApproval",
        action: "publication.returned",
        change: { ...unscheduledColumns, approvedBy: null, digest, revision: post.revision },
      });
    if (!updatedPublication || problems.length > 0) return { kind: "ended" };
    return { kind: "started", publication: { ...updatedPublication, content } };
  });
}

/** Keeps the uploads of an earlier run of the same content, unless they have expired. */
function selectProgress({ progress }: Publication, digest: string, now: number): PublicationProgress {
  const emptyProgress = { platform: {}, digest, uploadedSince: now };
  if (progress?.digest !== digest) return emptyProgress;
  // Earlier versions did not store the time.
  const isExpired = now - (progress.uploadedSince ?? now) > uploadLifetime;
  return isExpired ? emptyProgress : progress;
}
