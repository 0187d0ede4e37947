import { z } from "zod";
import { days, toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { type Caller, getGrantId } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { returnToProposals } from "../changes/review-holds.ts";
import { retryOnConflict } from "../model/conflict.ts";
import { parsePostId } from "../model/post.ts";
import {
  type DecisionView,
  defaultReviewDays,
  getReviewState,
  maxOpenReviewLinks,
  maxReviewDays,
  maxReviewPosts,
  maxStoredReviewLinks,
  type ResolvedReviewLink,
  type ReviewLink,
  type ReviewOutcome,
  type ReviewState,
  toDecisionView,
} from "../model/review.ts";
import { id, text } from "../model/text.ts";
import { type UserOrClient, toUserOrClient } from "../model/user-or-client.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";

const message = text(2000).trim().optional().describe("Shown to the guest above the post.");

export const createReviewLinkInput = z.strictObject({ postId: id, message });

export const createReviewLinkOutput = z.object({
  url: z.string().describe("The review page. Anyone who has it can read the post, comment on it and decide."),
  expiresAt: z.string(),
});

type CreateDeps = Pick<Deps, "transact" | "signer" | "newId" | "clock" | "baseUrl">;

/** Creates a link to one post, for AI clients. */
export async function createReviewLink(
  deps: CreateDeps,
  caller: Caller,
  { postId, ...input }: z.infer<typeof createReviewLinkInput>,
): Promise<z.infer<typeof createReviewLinkOutput>> {
  const { url, expiresAt } = await shareForReview(deps, caller, { ...input, postIds: [postId] });
  return { url, expiresAt };
}

export const shareForReviewInput = z.strictObject({
  postIds: z.array(id).min(1).max(maxReviewPosts),
  message,
  expiresInDays: z.int32().min(1).max(maxReviewDays).default(defaultReviewDays),
  holdsPublishing: z.boolean().default(false),
});

/**
 * Creates a link with which someone without an account sees the posts and decides about them. With `holdsPublishing`, for
 * people only, what is scheduled returns to the proposals until the guest has approved it.
 */
export async function shareForReview(
  deps: CreateDeps,
  caller: Caller,
  input: z.input<typeof shareForReviewInput>,
): Promise<{ id: string; url: string; expiresAt: string }> {
  authorize(caller, "posts.write");
  const { message: shownMessage = "", expiresInDays = defaultReviewDays, holdsPublishing = false } = input;
  if (holdsPublishing && caller.client) throw new AppError("forbidden:review_hold");
  const postIds = [...new Set(input.postIds)].map(parsePostId);
  const now = deps.clock();
  const link: ReviewLink = {
    id: deps.newId("reviewLink"),
    studioId: caller.studio.id,
    createdBy: caller.user.id,
    grantId: getGrantId(caller),
    clientId: caller.client?.id ?? null,
    clientName: caller.client?.name ?? null,
    message: shownMessage === "" ? null : shownMessage,
    holdsPublishing,
    createdAt: now,
    expiresAt: now + days(expiresInDays),
    withdrawnAt: null,
    firstViewedAt: null,
    lastViewedAt: null,
    viewCount: 0,
  };
  await retryOnConflict(() =>
    deps.transact(caller, async (tx) => {
      // In one order, so that parallel calls can't deadlock.
      for (const postId of postIds.toSorted()) await preparePost(deps, tx, caller, postId, link);
      await tx.reviews.insertLink(link, postIds);
      for (const postId of postIds)
        await recordActivity(deps, tx, caller, "review.created", postId, { linkId: link.id, holdsPublishing });
    }),
  );
  // The record decides what is allowed. The token expires long after the link, so that the page can say what happened.
  const token = deps.signer.sign("review", { link: link.id }, link.expiresAt + days(3650));
  return { id: link.id, url: `${deps.baseUrl}/r/${token}`, expiresAt: toIsoTime(link.expiresAt) };
}

/** Locks the post, so that parallel calls can't exceed the limit, and nothing of it is scheduled meanwhile. */
async function preparePost(deps: CreateDeps, tx: Tx, caller: Caller, postId: string, link: ReviewLink): Promise<void> {
  const post = await tx.posts.lock(caller.studio.id, postId);
  if (!post) throw notFoundError("post");
  if (post.status === "archived") throw new AppError("invalid_input:post_archived");
  const { open, stored } = await tx.reviews.countLinks(postId, link.createdAt);
  if (open >= maxOpenReviewLinks) throw new AppError("quota_exceeded:review_links", { limit: maxOpenReviewLinks });
  if (stored >= maxStoredReviewLinks)
    throw new AppError("quota_exceeded:stored_review_links", { limit: maxStoredReviewLinks });
  if (link.holdsPublishing) await returnToProposals(deps, tx, caller, postId);
}

export interface ReviewLinkView {
  id: string;
  postIds: string[];
  createdBy: UserOrClient;
  /** The AI client that created the link; null if the user did. */
  client: UserOrClient | null;
  message: string | null;
  createdAt: string;
  expiresAt: string;
  holdsPublishing: boolean;
  withdrawnAt: string | null;
  state: ReviewState;
  firstViewedAt: string | null;
  lastViewedAt: string | null;
  viewCount: number;
  /** Guests' names and comments are not verified. `revision` is what the guest saw. */
  decisions: (DecisionView & { postId: string; revision: number; unverified: true })[];
}

/** How many links a list has, and how long their texts may be together; a decision counts this much without its comment. */
const maxListedLinks = 200;
const maxListLength = 500_000;
const decisionLength = 200;
const linksPerRead = 10;

export const listReviewLinksInput = z.strictObject({ postId: id.optional() });

/** Lists the links of a post, or of the studio, without their URLs, which are only returned on creation. */
export async function listReviewLinks(
  deps: Pick<Deps, "posts" | "reviews" | "clock">,
  caller: Caller,
  input: z.infer<typeof listReviewLinksInput>,
): Promise<{ reviewLinks: ReviewLinkView[] }> {
  authorize(caller, "posts.read");
  const postId = input.postId === undefined ? undefined : parsePostId(input.postId);
  if (postId !== undefined && !(await deps.posts.find(caller.studio.id, postId))) throw notFoundError("post");
  const links = await deps.reviews.listLinks(caller.studio.id, postId, maxListedLinks);
  const reviewLinks: ReviewLinkView[] = [];
  let length = 0;
  for (let from = 0; from < links.length; from += linksPerRead) {
    const part = links.slice(from, from + linksPerRead);
    const posts = await deps.reviews.listOutcomes(part.map((link) => link.id));
    const postsByLink = Map.groupBy(posts, ({ linkId }) => linkId);
    for (const link of part) {
      const view = toLinkView(link, postsByLink.get(link.id) ?? [], deps.clock());
      const comments = view.decisions.map(({ comment }) => decisionLength + (comment?.length ?? 0));
      length += comments.reduce((sum, each) => sum + each, view.message?.length ?? 0);
      if (length > maxListLength && reviewLinks.length > 0) return { reviewLinks };
      reviewLinks.push(view);
    }
  }
  return { reviewLinks };
}

function toLinkView(link: ResolvedReviewLink, posts: readonly ReviewOutcome[], now: number): ReviewLinkView {
  const toTime = (time: number | null) => (time === null ? null : toIsoTime(time));
  return {
    id: link.id,
    postIds: posts.map((post) => post.postId),
    createdBy: { id: link.createdBy, name: link.creator.name },
    client: toUserOrClient(link.clientId, link.clientName),
    message: link.message,
    createdAt: toIsoTime(link.createdAt),
    expiresAt: toIsoTime(link.expiresAt),
    holdsPublishing: link.holdsPublishing,
    withdrawnAt: toTime(link.withdrawnAt),
    state: getReviewState(link, now),
    firstViewedAt: toTime(link.firstViewedAt),
    lastViewedAt: toTime(link.lastViewedAt),
    viewCount: link.viewCount,
    decisions: posts.flatMap((post) => {
      const view = toDecisionView(post);
      const revision = post.decision?.revision ?? 0;
      return view ? [{ postId: post.postId, ...view, revision, unverified: true as const }] : [];
    }),
  };
}

/** Withdraws a link immediately and ends its hold, in the web app only: its maker, owners and admins. */
export async function withdrawReviewLink(
  deps: Pick<Deps, "reviews" | "transact" | "newId" | "clock">,
  caller: Caller,
  { linkId }: { linkId: string },
): Promise<void> {
  authorize(caller, "posts.write");
  const link = isId("reviewLink", linkId) ? await deps.reviews.findLink(linkId) : undefined;
  if (link?.studioId !== caller.studio.id) throw notFoundError("review_link");
  if (caller.client) throw new AppError("forbidden:review_hold");
  if (link.createdBy !== caller.user.id) authorize(caller, "reviews.withdrawAny");
  await deps.transact(caller, async (tx) => {
    if (!(await tx.reviews.withdraw(caller.studio.id, linkId, deps.clock()))) return;
    for (const { postId } of await tx.reviews.listOutcomes([linkId]))
      await recordActivity(deps, tx, caller, "review.withdrawn", postId, { linkId });
  });
}
