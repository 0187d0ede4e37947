import { AppError } from "#lib/errors.ts";
import type { Asset } from "../model/asset.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Post } from "../model/post.ts";
import { digestContent } from "../model/publication-content.ts";
import { unscheduledColumns } from "../model/publish-time.ts";
import { type CoveredAccount, maxDecisions, type ReviewDecision, type ReviewPost } from "../model/review.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { changePublication, type PublicationActor } from "./change-publication.ts";
import { readContent } from "./read-content.ts";
import { unapprovedDigest } from "./revise-publications.ts";
import { updatePublication } from "./writes/publication-rows.ts";

/** Each has the digests of up to all accounts. */
const reviewsPerRead = 50;

type HoldDeps = Pick<Deps, "newId" | "clock">;

/**
 * Runs after an edit, with the post's row locked: finds out which decisions of guests still cover the content. If the
 * edit ends an approval that publishing waits for, what was scheduled needs a new approval, also after an edit by
 * someone who may publish.
 */
export async function reviseReviews(deps: HoldDeps, tx: Tx, actor: PublicationActor, post: Post): Promise<void> {
  const assets = await tx.assets.listByPosts([post.id]);
  const digests = new Map<string, string>();
  const isCurrent = async ({ connectionId, includesTitle, digest }: CoveredAccount): Promise<boolean> => {
    const key = `${connectionId} ${includesTitle}`;
    const currentDigest =
      digests.get(key) ?? (await digestForAccount(tx, post, assets, { connectionId, includesTitle }));
    digests.set(key, currentDigest);
    return currentDigest === digest;
  };
  let after: string | undefined;
  for (let isLastPage = false; !isLastPage;) {
    const reviews = await tx.reviews.listDecided(post.id, { after, limit: reviewsPerRead });
    const changed: { review: ReviewPost; isOutdated: boolean }[] = [];
    for (const review of reviews) {
      let isOutdated = false;
      for (const account of review.decision?.accounts ?? []) isOutdated ||= !(await isCurrent(account));
      if (isOutdated !== review.isOutdated) changed.push({ review, isOutdated });
    }
    if (changed.some(({ review, isOutdated }) => isOutdated && review.isHolding))
      await returnToProposals(deps, tx, actor, post.id);
    for (const value of [true, false]) {
      const linkIds = changed.filter(({ isOutdated }) => isOutdated === value).map(({ review }) => review.linkId);
      await tx.reviews.setOutdated(post.id, linkIds, value);
    }
    after = reviews.at(-1)?.linkId;
    isLastPage = reviews.length < reviewsPerRead;
  }
}

const digestForAccount = async (
  tx: Tx,
  post: Post,
  assets: readonly Asset[],
  account: Pick<CoveredAccount, "connectionId" | "includesTitle">,
): Promise<string> => digestContent(await readContent(tx, { ...account, studioId: post.studioId }, post, assets));

/** Stores the decision of a guest. The transaction must have locked the post and compared what the guest saw. */
export async function recordDecision(
  deps: HoldDeps,
  tx: Tx,
  actor: PublicationActor,
  review: ReviewPost,
  decision: ReviewDecision,
): Promise<void> {
  if (review.isHolding && decision.decision !== "approved") await returnToProposals(deps, tx, actor, review.postId);
  if (!(await tx.reviews.decide(review, decision, maxDecisions)))
    throw new AppError("quota_exceeded:review_decisions", { limit: maxDecisions });
}

/**
 * Returns the scheduled publications of a post that a review is about to hold to the proposals. A run that has already
 * sent something ends as it would otherwise, but is not repeated. The transaction must have locked the post.
 */
export async function returnToProposals(
  deps: HoldDeps,
  tx: Tx,
  actor: PublicationActor,
  postId: string,
): Promise<void> {
  // After a conflict: a worker has changed the state since the publications were read.
  await retryOnConflict(async () => {
    for (const publication of await tx.publications.listByPost(postId, ["scheduled", "preparing"]))
      if (publication.state === "preparing") await updatePublication(tx, publication, { digest: unapprovedDigest });
      else if (publication.publicParts === 0)
        await changePublication(deps, tx, actor, publication, {
          event: "voidApproval",
          change: { ...unscheduledColumns, approvedBy: null },
          action: "publication.returned",
          detail: { reason: "review" },
        });
  });
}
