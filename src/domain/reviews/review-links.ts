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
  type ReviewLink,
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
  if ((await tx.reviews.countOpenLinks(postId, link.createdAt)) >= maxOpenReviewLinks)
    throw new AppError("quota_exceeded:review_links", { limit: maxOpenReviewLinks });
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

/** How many links a list has. */
const maxListedLinks = 200;

export const listReviewLinksInput = z.strictObject({ postId: id.optional() });

/** Lists the links of a post, or of the studio, newest first, without their URLs, which are only returned on creation. */
export async function listReviewLinks(
  deps: Pick<Deps, "posts" | "reviews" | "clock">,
  caller: Caller,
  input: z.infer<typeof listReviewLinksInput>,
): Promise<{ reviewLinks: ReviewLinkView[] }> {
  authorize(caller, "posts.read");
  const postId = input.postId === undefined ? undefined : parsePostId(input.postId);
  if (postId !== undefined && !(await deps.posts.find(caller.studio.id, postId))) throw notFoundError("post");
  const links = await deps.reviews.listLinks(caller.studio.id, postId, maxListedLinks);
  const postsByLink = Map.groupBy(await deps.reviews.listPosts(links.map((link) => link.id)), ({ linkId }) => linkId);
  const toTime = (time: number | null) => (time === null ? null : toIsoTime(time));
  return {
    reviewLinks: links.map((link) => {
      const posts = postsByLink.get(link.id) ?? [];
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
        state: getReviewState(link, deps.clock()),
        firstViewedAt: toTime(link.firstViewedAt),
        lastViewedAt: toTime(link.lastViewedAt),
        viewCount: link.viewCount,
        decisions: posts.flatMap((post) => {
          const view = toDecisionView(post);
          const revision = post.decision?.revision ?? 0;
          return view ? [{ postId: post.postId, ...view, revision, unverified: true as const }] : [];
        }),
      };
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
    for (const { postId } of await tx.reviews.listPosts([linkId]))
      await recordActivity(deps, tx, caller, "review.withdrawn", postId, { linkId });
  });
}
