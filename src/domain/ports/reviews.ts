import type { ResolvedReviewLink, ReviewDecision, ReviewLink, ReviewOutcome, ReviewPost } from "../model/review.ts";

export interface ReviewStore {
  insertLink(link: ReviewLink, postIds: readonly string[]): Promise<void>;
  findLink(linkId: string): Promise<ResolvedReviewLink | undefined>;
  /** Newest first; with `postId`, only links that cover this post, and first those that hold it until they are withdrawn. */
  listLinks(studioId: string, postId: string | undefined, limit: number): Promise<ResolvedReviewLink[]>;
  /** The number of links of a post, and of those that have neither expired nor been withdrawn. */
  countLinks(postId: string, now: number): Promise<{ stored: number; open: number }>;
  /** Also ends the hold of its posts; false if the link does not exist or is already withdrawn. */
  withdraw(studioId: string, linkId: string, now: number): Promise<boolean>;
  /** Counts a view, unless the last one was after `countedBefore`. Returns the number of views if it was counted. */
  recordView(linkId: string, now: number, countedBefore: number): Promise<number | undefined>;
  /** Counts a comment through the link; false at the limit. */
  countComment(linkId: string, limit: number): Promise<boolean>;
  /** The posts of a link, in its order. */
  listPosts(linkId: string): Promise<ReviewPost[]>;
  /** The posts of these links, in the order of each link. */
  listOutcomes(linkIds: readonly string[]): Promise<ReviewOutcome[]>;
  /** The links of a post through which a guest has decided, by id. */
  listDecided(postId: string, page: { after: string | undefined; limit: number }): Promise<ReviewPost[]>;
  /** Replaces the decision about a post, up to `limit` times; false at the limit. */
  decide(review: ReviewPost, decision: ReviewDecision, limit: number): Promise<boolean>;
  setOutdated(postId: string, linkIds: readonly string[], isOutdated: boolean): Promise<void>;
  /** Whether a review holds the post. */
  isHeld(postId: string): Promise<boolean>;
}
