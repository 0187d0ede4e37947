import { z } from "zod";
import { minutes, toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { type Caller, scopes } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { recordDecision } from "../changes/review-holds.ts";
import type { ActivityAction, Actor } from "../model/activity.ts";
import { type Comment, commentBody } from "../model/comment.ts";
import { retryOnConflict } from "../model/conflict.ts";
import { type Post, parsePostId } from "../model/post.ts";
import {
  decisions,
  type DecisionView,
  getReviewState,
  guestName,
  maxGuestComments,
  type ResolvedReviewLink,
  type ReviewPost,
  toDecisionView,
  toGuestView,
} from "../model/review.ts";
import { id } from "../model/text.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { type GuestCommentView, toGuestCommentView } from "./guest-comments.ts";
import { readReviewedContent, toCoveredAccount } from "./reviewed-content.ts";

/** Anyone with the link. Acts with the authority of its maker, and only to decide and comment on the link's posts. */
export interface Guest {
  caller: Caller;
  /** What activity names as the actor: the link's AI client, but never its maker. */
  actor: Actor;
  link: ResolvedReviewLink;
  posts: readonly ReviewPost[];
}

type GuestDeps = Pick<Deps, "reviews" | "signer" | "clock">;

/** Reads the link on every request, so that what ends it applies immediately. Throws `not_found` or `review_ended`. */
export async function resolveGuest(deps: GuestDeps, token: string): Promise<Guest> {
  const linkId = deps.signer.verify("review", token)?.["link"];
  const link =
    typeof linkId === "string" && isId("reviewLink", linkId) ? await deps.reviews.findLink(linkId) : undefined;
  if (!link) throw notFoundError("review_link");
  return toGuest(deps, link);
}

/** Throws `review_ended` unless the link is open. */
export async function toGuest(deps: Pick<Deps, "reviews" | "clock">, link: ResolvedReviewLink): Promise<Guest> {
  if (getReviewState(link, deps.clock()) !== "open" || link.creatorRole === null) throw new AppError("review_ended");
  const studio = { id: link.studioId, name: link.studioName };
  const credential = { kind: "reviewLink" as const, linkId: link.id, grantId: link.grantId };
  const client =
    link.clientId === null ? {} : { client: { id: link.clientId, name: link.clientName ?? link.clientId } };
  return {
    caller: { user: link.creator, studio, role: link.creatorRole, scopes, credential },
    actor: { studio, ...client },
    link,
    posts: await deps.reviews.listPosts(link.id),
  };
}

/** Finds a post of the link; throws `not_found` for any other. It may be archived or in the trash. */
export function findReviewPost({ posts }: Guest, postId: string): ReviewPost {
  const review = posts.find((candidate) => candidate.postId === parsePostId(postId));
  if (!review) throw notFoundError("post");
  return review;
}

/** Locks a post of the link, so that neither an edit nor another decision comes between. The link may have expired. */
async function lockPost(deps: Pick<Deps, "clock">, tx: Tx, { link }: Guest, postId: string): Promise<Post> {
  const post = await tx.posts.lock(link.studioId, postId);
  if (!post || post.status === "archived" || getReviewState(link, deps.clock()) !== "open")
    throw new AppError("review_ended");
  return post;
}

interface GuestActivity {
  action: ActivityAction;
  postId: string;
  /** As the guest typed it; null if unknown. */
  name: string | null;
  detail?: Record<string, unknown>;
}

async function recordGuestActivity(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  { actor, link }: Guest,
  { action, postId, name, detail }: GuestActivity,
): Promise<void> {
  const guest = name === null ? null : toGuestView(name);
  await recordActivity(deps, tx, actor, action, postId, { linkId: link.id, guest, ...detail });
}

/** Views that follow each other closely, such as reloads, count once. */
const viewWindow = minutes(10);

/** Counts that a guest looked at the page. Its activity is recorded once. */
export async function recordView(deps: Pick<Deps, "transact" | "newId" | "clock">, guest: Guest): Promise<void> {
  const now = deps.clock();
  if (guest.link.lastViewedAt !== null && guest.link.lastViewedAt >= now - viewWindow) return;
  await deps.transact(guest.caller, async (tx) => {
    if ((await tx.reviews.recordView(guest.link.id, now, now - viewWindow)) !== 1) return;
    for (const { postId } of guest.posts)
      await recordGuestActivity(deps, tx, guest, { action: "review.viewed", postId, name: null });
  });
}

export const decideInput = z.strictObject({
  postId: id,
  digest: z.string().max(100),
  decision: z.enum(decisions),
  name: guestName,
  comment: commentBody.max(2000).optional(),
});

/** Stores a decision about exactly what the guest saw. Throws `revision_conflict` if that has changed meanwhile. */
export async function decide(
  deps: Pick<Deps, "transact" | "platforms" | "newId" | "clock">,
  guest: Guest,
  { postId, digest, decision, name, comment }: z.infer<typeof decideInput>,
): Promise<DecisionView> {
  const review = findReviewPost(guest, postId);
  const view = await retryOnConflict(() =>
    deps.transact(guest.caller, async (tx) => {
      const post = await lockPost(deps, tx, guest, postId);
      const current = await readReviewedContent(deps, tx, post, await tx.assets.listByPosts([postId]));
      if (current.digest !== digest) throw new AppError("revision_conflict:review");
      const newDecision = {
        decision,
        guestName: name,
        decisionComment: comment ?? null,
        decidedAt: deps.clock(),
        accounts: current.accounts.map(toCoveredAccount),
        revision: post.revision,
      };
      await recordDecision(deps, tx, guest.actor, review, newDecision);
      const detail = { revision: post.revision, ...(comment === undefined ? {} : { comment }) };
      await recordGuestActivity(deps, tx, guest, { action: `review.${decision}`, postId, name, detail });
      return toDecisionView({ ...review, decision: newDecision, isOutdated: false });
    }),
  );
  if (!view) throw new Error("a decision has a view");
  return view;
}

export const guestCommentInput = z.strictObject({ postId: id, name: guestName, body: commentBody.max(2000) });

/** Adds a comment that the team and the guests of this link see. It does not count toward the limit of the post. */
export async function addGuestComment(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  guest: Guest,
  { postId, name, body }: z.infer<typeof guestCommentInput>,
): Promise<GuestCommentView> {
  const { linkId } = findReviewPost(guest, postId);
  const comment: Comment = {
    id: deps.newId("comment"),
    studioId: guest.link.studioId,
    postId,
    parentId: null,
    body,
    createdAt: deps.clock(),
    userId: null,
    grantId: null,
    clientId: guest.link.clientId,
    clientName: guest.link.clientName,
    resolvedAt: null,
    resolvedBy: null,
    isDeleted: false,
    changeCount: 0,
    visibility: "guests",
    guestName: name,
    reviewLinkId: linkId,
  };
  await deps.transact(guest.caller, async (tx) => {
    await lockPost(deps, tx, guest, postId);
    if (!(await tx.reviews.countComment(linkId, maxGuestComments)))
      throw new AppError("quota_exceeded:guest_comments", { limit: maxGuestComments });
    await tx.comments.insert(comment);
    const detail = { commentId: comment.id };
    await recordGuestActivity(deps, tx, guest, { action: "review.commented", postId, name, detail });
  });
  return toGuestCommentView({ ...comment, userName: null, resolvedByName: null });
}

export const toExpiry = ({ link }: Guest): string => toIsoTime(link.expiresAt);
