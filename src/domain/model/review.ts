import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import type { Person } from "../caller.ts";
import type { Role } from "../policy.ts";
import { singleLine } from "./text.ts";

export const defaultReviewDays = 7;
export const maxReviewDays = 30;
export const maxReviewPosts = 50;
export const maxOpenReviewLinks = 100;
/** Of a post, with those that have ended: every edit compares the decisions of all of them. */
export const maxStoredReviewLinks = 500;
export const maxGuestComments = 50;
/** About one post of a link. Each replaces the one before; the activity lists all of them. */
export const maxDecisions = 1000;

/** Without characters that could reorder the words "by review link" behind it. */
export const guestName = singleLine(80).refine(
  (name) => !/[\u202a-\u202e\u2066-\u2069]/.test(name),
  "a name without characters that change the direction of text",
);

export const decisions = ["approved", "changes_requested"] as const;
export type Decision = (typeof decisions)[number];

/** A review link as stored in the database. */
export interface ReviewLink {
  id: string;
  studioId: string;
  createdBy: string;
  /** The grant of the AI client that created the link, if any. */
  grantId: string | null;
  clientId: string | null;
  clientName: string | null;
  message: string | null;
  holdsPublishing: boolean;
  createdAt: number;
  expiresAt: number;
  withdrawnAt: number | null;
  firstViewedAt: number | null;
  lastViewedAt: number | null;
  viewCount: number;
}

/** A link with everything that determines its state, read in one query. */
export interface ResolvedReviewLink extends ReviewLink {
  studioName: string;
  creator: Person;
  /** Null if the creator is disabled or no longer a member. */
  creatorRole: Role | null;
  isGrantRevoked: boolean;
}

/** An account, and what it would have received when a guest decided. */
export interface CoveredAccount {
  /** Empty if no account was connected: the decision then covers the post's own title, text and files. */
  connectionId: string;
  includesTitle: boolean;
  digest: string;
}

/** The latest decision about a post through one link. */
export interface ReviewDecision {
  decision: Decision;
  /** As the guest typed it: not verified. */
  guestName: string;
  decisionComment: string | null;
  decidedAt: number;
  accounts: CoveredAccount[];
  /** The revision of the post that the guest saw. */
  revision: number;
}

/** A post of a link. */
export interface ReviewPost {
  linkId: string;
  postId: string;
  /** Whether the post waits for this link's approval. */
  isHolding: boolean;
  /** Whether the content has changed since the decision. */
  isOutdated: boolean;
  decision: ReviewDecision | null;
}

/** How lists show the newest links of a post: the last of these states that one of them has. */
export const postReviewStates = ["approved", "waiting", "outdated", "changes_requested"] as const;
/** How many links of a post lists read. */
export const maxListedReviews = 20;
export type PostReviewState = (typeof postReviewStates)[number];

/** Links without a decision wait while they are open at this time, or hold the post. */
export interface PostReviewFilter {
  state: PostReviewState;
  now: number;
}

/** Without what the decision covers, which is long. */
export interface ReviewOutcome extends Omit<ReviewPost, "decision"> {
  decision: Omit<ReviewDecision, "accounts"> | null;
}

export type ReviewState = "open" | "expired" | "ended" | "withdrawn";

/** A link ends with its maker's membership or its grant. */
export function getReviewState(link: ResolvedReviewLink, now: number): ReviewState {
  if (link.withdrawnAt !== null) return "withdrawn";
  if (link.isGrantRevoked || link.creatorRole === null) return "ended";
  return now < link.expiresAt ? "open" : "expired";
}

export interface DecisionView {
  state: Decision | "outdated";
  name: string;
  comment: string | null;
  at: string;
}

export const toDecisionView = ({ decision, isOutdated }: ReviewOutcome): DecisionView | null =>
  decision && {
    state: isOutdated ? "outdated" : decision.decision,
    name: decision.guestName,
    comment: decision.decisionComment,
    at: toIsoTime(decision.decidedAt),
  };

/** How tools and activity name a guest. */
export const guestView = z.object({ name: z.string(), unverified: z.literal(true) });
export const toGuestView = (name: string): z.infer<typeof guestView> => ({ name, unverified: true });
