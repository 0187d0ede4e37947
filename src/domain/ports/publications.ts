import type { PublishedPart } from "../model/publication-parts.ts";
import type { PublicationState, VisibleState } from "../model/publication-states.ts";
import type { Publication, PublicationRequest, PublicationWithNames } from "../model/publication.ts";

export type PublicationChange = Partial<Omit<Publication, keyof PublicationRequest | "fence">> & {
  /** Releases the slot that the publication was requested for. */
  slotAt?: null;
};

/** What a change requires of the row: its state, and for workers the fence of their claim. */
export interface PublicationCondition {
  states: readonly PublicationState[];
  publicParts?: number;
  fence?: number;
  /** Only if the approved content has this digest, or its hash if a process of the previous version wrote the row. */
  digest?: string;
  /** Only if an edit has voided the approval of the content with this digest. */
  voidedDigest?: string;
  /** Only if the publication is still scheduled for this time. */
  scheduledFor?: number | null;
  /** Only if the `nextRunAt` of the publication is before this time. */
  nextRunBefore?: number;
}

/** How many publications wait for a person. */
export interface PublicationCounts {
  /** Proposed, but not requested by the user themselves. */
  proposed: number;
  failed: number;
  unconfirmed: number;
  missed: number;
  /** Requests of the user for which an approver asked for changes. */
  sentBack: number;
}

export interface PublicationStore {
  find(studioId: string, publicationId: string): Promise<PublicationWithNames | undefined>;
  /** In the order of the ids. Publications that do not exist are missing in the result. */
  listByIds(studioId: string, publicationIds: readonly string[]): Promise<PublicationWithNames[]>;
  list(studioId: string, filter: PublicationFilter): Promise<PublicationWithNames[]>;
  /** Counts up to `maxCount` per kind. Those that a newer publication to the same account replaced do not count. */
  count(studioId: string, options: { userId: string; from: number; maxCount: number }): Promise<PublicationCounts>;
  /** All publications of a post, canceled ones included. */
  countByPost(postId: string): Promise<number>;
  /** Whether the studio has more than `limit` open publications. */
  hasMoreOpen(studioId: string, limit: number): Promise<boolean>;
  /** The publications of a post in these states. */
  listByPost(postId: string, states: readonly PublicationState[]): Promise<Publication[]>;
  /** The times of the account's open publications in this range, both ends included. */
  listOpenTimes(connectionId: string, from: number, to: number): Promise<number[]>;
  listByConnection(connectionId: string, states: readonly PublicationState[], limit: number): Promise<Publication[]>;
  /** Proposed publications whose approval was voided by an edit of the post, by id, after this id. */
  listVoided(studioId: string, after: string, limit: number): Promise<Publication[]>;
  /**
   * Publications that this user's AI client requested since a time, among the next `limit` publications of the studio
   * whose ids are greater than `after`. `next` is the last of these ids; undefined on the last page.
   */
  listRequested(
    studioId: string,
    request: { userId: string; clientId: string; since: number },
    after: string,
    limit: number,
  ): Promise<{ publications: Publication[]; next: string | undefined }>;
  /** The public parts of a publication with follow-ups, in order. */
  listParts(publicationId: string): Promise<PublishedPart[]>;
  isRemoteIdTaken(connectionId: string, remoteId: string): Promise<boolean>;
  /** The time that decides what is due and which leases have expired: on PostgreSQL, the time of the database. */
  getTime(): Promise<number>;
  /** Looks for work with one statement. An unstarted publication is overdue `overdueAfterMs` after its time. */
  findWork(overdueAfterMs: number): Promise<PendingWork>;
  /** Scheduled publications whose `nextRunAt` is before this time and that never started. */
  listOverdue(nextRunBefore: number, limit: number): Promise<Publication[]>;
  /** Publications of all studios that are scheduled or preparing, by id, after this id. For the operator: reads the whole table. */
  listStartable(after: string, limit: number): Promise<Publication[]>;
  /** Wakes the workers of all processes when the transaction commits. On SQLite, other processes poll instead. */
  announceDue(): Promise<void>;
}

/** For `changePublication` and the other writers of publications. */
export interface PublicationWrites {
  insertPart(publication: Pick<Publication, "id" | "connectionId">, part: PublishedPart): Promise<void>;
  /** False if the post already has an open publication for this account, or another publication has this slot. */
  insert(publication: Publication, slotAt?: number): Promise<boolean>;
  /**
   * Changes a publication; undefined if it does not meet the condition. A change with a state resets `voidedDigest`,
   * unless it sets it.
   */
  update(
    publicationId: string,
    change: PublicationChange,
    condition: PublicationCondition,
  ): Promise<Publication | undefined>;
}

/** What a run stores between its steps. It changes neither the state nor what was approved. */
export type RunChange = Pick<PublicationChange, "content" | "progress" | "leaseExpiresAt" | "nextRunAt">;

/**
 * The claims of the publishing worker, written outside transactions. Not part of `Deps`, so only the worker has it. All
 * times are from the clock that `getTime` reads.
 */
export interface PublicationRunStore {
  /** Claims a due publication whose account is idle: of the studio, then the host, with the fewest slots. */
  claimDue(claim: PublicationClaim): Promise<Publication | undefined>;
  /** Takes over a run whose lease has expired, chosen in the same way. */
  claimAbandoned(claim: PublicationClaim): Promise<Publication | undefined>;
  /** Undefined if the publication does not meet the condition. */
  update(
    publicationId: string,
    change: RunChange,
    condition: PublicationCondition & { fence: number },
  ): Promise<Publication | undefined>;
}

export interface PublicationClaim {
  now: number;
  leaseExpiresAt: number;
  slots: UsedSlots;
}

/** The slots of one process that are in use, and how many of them one studio or one host may use. */
export interface UsedSlots {
  publicationIds: readonly string[];
  maxPerStudio: number;
  maxPerHost: number;
}

export interface PendingWork {
  now: number;
  /** Whether a publication is due. Its account may be busy, or its studio may use no further slot. */
  hasDue: boolean;
  /** Whether the lease of a run has expired. */
  hasAbandoned: boolean;
  hasOverdue: boolean;
  /** When the next publication is due, or the next lease expires. */
  nextRunAt: number | undefined;
}

/**
 * `newest`: the newest request first. `soonest`: those without a time first, then the earliest time; of several for the
 * same time, the oldest request first.
 */
export const publicationOrders = ["newest", "soonest"] as const;

export interface PublicationFilter {
  postId?: string | undefined;
  state?: VisibleState | undefined;
  /** Range of the publication's time: when it was published, else when it is scheduled, else when it was requested. */
  from?: number | undefined;
  to?: number | undefined;
  /** Leaves out publications that a newer one of the same post to the same account has replaced. */
  latest?: boolean | undefined;
  /** `newest` by default. */
  order?: (typeof publicationOrders)[number] | undefined;
  /** With the order `newest`: only publications older than this id. */
  before?: string | undefined;
  /** With the order `soonest`: only publications after this one. `at` is its planned time, or 0. */
  after?: { at: number; id: string } | undefined;
  limit: number;
}
