import type { AssetKind } from "../assets/model/kinds.ts";
import type { PlatformConnection } from "../platforms/connection.ts";
import type { AccessToken } from "../platforms/ports.ts";
import type { CropPosition } from "../renditions/plan-layout.ts";
import type { PublicationProgress } from "./progress.ts";
import type { PublicationState, VisibleState } from "./states.ts";

/** What an account receives. Fixed when the run starts. */
export interface PublicationContent {
  /** Null for platforms whose posts have no title. */
  title: string | null;
  text: string;
  assets: ContentAsset[];
}

export interface ContentAsset {
  id: string;
  kind: AssetKind;
  mimeType: string;
  filename: string;
  bytes: number;
  storageKey: string;
  /** Identifies the bytes. */
  digest: string;
  altText: string | null;
  /** In pixels, as displayed. */
  width?: number | null | undefined;
  height?: number | null | undefined;
  /** Which part is kept if the platform does not accept the aspect ratio; padded if absent. */
  crop?: CropPosition | undefined;
  /** What is sent instead. */
  rendition?: Pick<ContentAsset, "mimeType" | "filename" | "bytes" | "storageKey" | "width" | "height"> | undefined;
}

/** A publication as stored in the database. */
export interface Publication {
  id: string;
  studioId: string;
  postId: string;
  connectionId: string;
  state: PublicationState;
  /** Whether the platform shows the post's title. */
  includesTitle: boolean;
  scheduledFor: number | null;
  revision: number;
  digest: string;
  /** The revision that was approved last; null if it was never approved. */
  approvedRevision: number | null;
  /** The publishing time that was approved last; null: as soon as it was approved, or never approved. */
  approvedTime: number | null;
  requestedBy: string | null;
  requestedGrantId: string | null;
  requestedClientId: string | null;
  requestedClientName: string | null;
  approvedBy: string | null;
  createdAt: number;
  publishedAt: number | null;
  url: string | null;
  remoteId: string | null;
  problem: { code: string; message: string } | null;
  dueAt: number | null;
  nextRunAt: number | null;
  startedAt: number | null;
  attempts: number;
  fence: number;
  leaseExpiresAt: number | null;
  content: PublicationContent | null;
  progress: PublicationProgress | null;
  commitKey: string | null;
  committedAt: number | null;
}

/** With the names of its account, its requester and its approver. */
export interface PublicationWithNames extends Publication {
  platform: string;
  account: Pick<PlatformConnection["account"], "id" | "handle" | "name">;
  requestedByName: string | null;
  approvedByName: string | null;
}

export interface PublicationFilter {
  postId?: string | undefined;
  state?: VisibleState | undefined;
  from?: number | undefined;
  to?: number | undefined;
  /** Only publications older than this id. */
  before?: string | undefined;
  limit: number;
}

export type PublicationChange = Partial<
  Pick<
    Publication,
    | "state"
    | "scheduledFor"
    | "revision"
    | "digest"
    | "approvedRevision"
    | "approvedTime"
    | "approvedBy"
    | "publishedAt"
    | "url"
    | "remoteId"
    | "problem"
    | "dueAt"
    | "nextRunAt"
    | "startedAt"
    | "attempts"
    | "leaseExpiresAt"
    | "content"
    | "progress"
    | "commitKey"
    | "committedAt"
  >
>;

/** What a change requires of the row: its state, and for workers the fence of their claim. */
export interface PublicationCondition {
  states: readonly PublicationState[];
  fence?: number;
  /** Only if this is what was approved. */
  digest?: string;
  /** Only if it still has this time. */
  scheduledFor?: number | null;
  /** Only if its `nextRunAt` is before this time. */
  nextRunBefore?: number;
}

export interface PublicationStore extends PublishingWorkStore {
  /** False if the post already has an open publication for this account. */
  insert(publication: Publication): Promise<boolean>;
  find(studioId: string, publicationId: string): Promise<PublicationWithNames | undefined>;
  /** Newest first. */
  list(studioId: string, filter: PublicationFilter): Promise<PublicationWithNames[]>;
  /** The publications of a post in these states. */
  listByPost(postId: string, states: readonly PublicationState[]): Promise<Publication[]>;
  listByConnection(connectionId: string, states: readonly PublicationState[]): Promise<Publication[]>;
  /** Publications that this user's AI client requested since a time. */
  listRequested(studioId: string, request: { userId: string; clientId: string; since: number }): Promise<Publication[]>;
  /** Changes a publication; undefined if it does not meet the condition. */
  update(
    publicationId: string,
    change: PublicationChange,
    condition: PublicationCondition,
  ): Promise<Publication | undefined>;

  isRemoteIdTaken(connectionId: string, remoteId: string): Promise<boolean>;
}

/** What workers need. Times are those of `getTime`. */
export interface PublishingWorkStore {
  /** The clock that decides due times and leases: the database's on PostgreSQL. */
  getTime(): Promise<number>;
  /** Looks for work with one statement. A publication that never started is overdue this long after its time. */
  findWork(overdueAfterMs: number): Promise<PendingWork>;
  /** Takes the next due publication whose account is idle. */
  claimDue(now: number, leaseExpiresAt: number): Promise<Publication | undefined>;
  /** Takes over a run whose lease has expired. */
  claimAbandoned(now: number, leaseExpiresAt: number): Promise<Publication | undefined>;
  /** Scheduled publications whose `nextRunAt` is before this time and that never started. */
  listOverdue(nextRunBefore: number, limit: number): Promise<Publication[]>;
  /** Wakes the workers of all processes when the transaction commits. On SQLite they notice when they poll. */
  announceDue(): Promise<void>;
}

export interface PendingWork {
  now: number;
  /** Whether a publication of an idle account is due. */
  hasDue: boolean;
  /** Whether the lease of a run has expired. */
  hasAbandoned: boolean;
  hasOverdue: boolean;
  /** When the next publication is due, or the next lease expires. */
  nextRunAt: number | undefined;
}

/** What came of a request that makes a post public. */
export type CommitOutcome =
  | { kind: "published"; remoteId: string; url: string | null }
  /** The platform accepted it, and decides after it has processed the media. */
  | { kind: "processing"; processingId: string }
  /** The platform rejected it; nothing is public. */
  | { kind: "rejected"; code: string; message: string }
  /** Nothing is public; the platform asks to come back later. */
  | { kind: "retry_later"; retryAfterMs: number | undefined; message: string }
  /** The credentials are no longer valid; nothing is public. */
  | { kind: "reconnect"; message: string }
  /** The request may have made the post public. */
  | { kind: "unknown"; message: string; retryAfterMs?: number | undefined };

/** Anything but a post that is published, or may be soon. */
export type FailedOutcome = Exclude<CommitOutcome, { kind: "published" | "processing" }>;

/** What an account's posts say about an earlier commit. */
export type LookUpOutcome =
  | Extract<CommitOutcome, { kind: "published" | "rejected" | "reconnect" | "unknown" }>
  /** The platform says that the post is not public, and accepts the same commit at most once. */
  | { kind: "repeatable" }
  /**
   * No post, or more than one, can be this one. This proves nothing, so the commit is not repeated: a user decides.
   * `appearsWithinMs`: how long the platform may need until the post can be found, if that is long.
   */
  | { kind: "unidentified"; appearsWithinMs?: number | undefined }
  /** The platform does not let this server read the account's posts. */
  | { kind: "unreadable" };

/** How an interrupted commit is reconciled: by repeating it for this long, otherwise by looking it up. */
export interface Reconciliation {
  repeatWithinMs: number | undefined;
}

export interface PublishRequest extends AccessToken {
  connection: Pick<PlatformConnection, "platform" | "instance" | "account">;
  content: PublicationContent;
  progress: PublicationProgress;
  commitKey: string;
  /** When the commit was first sent; undefined before. */
  committedAt?: number | undefined;
}

/** Publishes at a platform. Every call is limited in time. */
export interface Publisher {
  /** The hosts of an account's public posts. */
  listHosts(connection: Pick<PlatformConnection, "platform" | "instance">): string[];
  getReconciliation(platform: string): Reconciliation;
  /** Uploads media and prepares the commit; saves each step for later runs. Ends early on abort: don't commit then. */
  prepare(
    request: PublishRequest,
    saveProgress: (progress: PublicationProgress) => Promise<void>,
    signal: AbortSignal,
  ): Promise<FailedOutcome | { kind: "prepared" }>;
  /** Sends the one request that makes the post public. */
  commit(request: PublishRequest): Promise<CommitOutcome>;
  /**
   * Finds out whether an earlier commit made the post public, with requests that change nothing.
   * `isTaken` tells whether a post at the platform belongs to another publication.
   */
  lookUp(request: PublishRequest, isTaken: (remoteId: string) => Promise<boolean>): Promise<LookUpOutcome>;
}
