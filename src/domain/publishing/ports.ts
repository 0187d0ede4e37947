import type { AssetKind } from "../assets/model/kinds.ts";
import type { PlatformConnection } from "../platforms/connection.ts";
import type { CropPosition } from "../renditions/plan-layout.ts";
import type { PublicationProgress } from "./progress.ts";
import type { PublicationFilter } from "./publication-filter.ts";
import type { PublicationState } from "./states.ts";

/** What an account receives. Stored when the run starts, so that later edits don't change it. */
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
  /** Identifies the bytes: their SHA-256 digest, or the key of the stored file. */
  digest: string;
  /** The store's version of a file without a SHA-256 digest. */
  version?: string | undefined;
  altText: string | null;
  /** In pixels, as displayed. */
  width?: number | null | undefined;
  height?: number | null | undefined;
  /** Which part is kept if the platform does not accept the aspect ratio. Without a crop, the image is padded. */
  crop?: CropPosition | undefined;
  /** The file that the platform receives instead of this one. */
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
  /** The time that the user chose; null for “as soon as approved”. */
  scheduledFor: number | null;
  revision: number;
  /** The digest of the requested or approved content (`digestContent`). */
  digest: string;
  /** The revision that was approved last; null if the publication was never approved. */
  approvedRevision: number | null;
  /** The publishing time that was approved last; null if that was “as soon as approved”, or without an approval. */
  approvedTime: number | null;
  /** The approved digest, while an edit that voided the approval is why the publication is proposed; otherwise null. */
  voidedDigest: string | null;
  requestedBy: string | null;
  requestedGrantId: string | null;
  requestedClientId: string | null;
  requestedClientName: string | null;
  approvedBy: string | null;
  createdAt: number;
  publishedAt: number | null;
  url: string | null;
  /** The id of the post at the platform. */
  remoteId: string | null;
  problem: { code: string; message: string } | null;
  /** When the first run is due: at `scheduledFor`, but not before it was scheduled, plus the approver’s delay. */
  dueAt: number | null;
  /** When the next run is due: `dueAt`, or a later time after a failed run. */
  nextRunAt: number | null;
  startedAt: number | null;
  attempts: number;
  fence: number;
  leaseExpiresAt: number | null;
  content: PublicationContent | null;
  progress: PublicationProgress | null;
  /** Identifies the commit to platforms that recognize a repeated request. */
  commitKey: string | null;
  committedAt: number | null;
}

/** A publication with the names of its account, its requester, its approver and its post. */
export interface PublicationWithNames extends Publication {
  platform: string;
  account: Pick<PlatformConnection["account"], "id" | "handle" | "name">;
  requestedByName: string | null;
  approvedByName: string | null;
  /** Whether the post has a newer publication to the same account. */
  isSuperseded: boolean;
  /** Null if the post is in the trash. */
  postTitle: string | null;
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
    | "voidedDigest"
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
  /** Only if the approved content has this digest, or its hash if a process of the previous version wrote the row. */
  digest?: string;
  /** Only if an edit has voided the approval of the content with this digest. */
  voidedDigest?: string;
  /** Only if the publication is still scheduled for this time. */
  scheduledFor?: number | null;
  /** Only if the `nextRunAt` of the publication is before this time. */
  nextRunBefore?: number;
}

export interface PublicationStore {
  find(studioId: string, publicationId: string): Promise<PublicationWithNames | undefined>;
  /** In the order of the ids. Publications that do not exist are missing in the result. */
  listByIds(studioId: string, publicationIds: readonly string[]): Promise<PublicationWithNames[]>;
  list(studioId: string, filter: PublicationFilter): Promise<PublicationWithNames[]>;
  /** The publications of a post in these states. */
  listByPost(postId: string, states: readonly PublicationState[]): Promise<Publication[]>;
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
  /** False if the post already has an open publication for this account. */
  insert(publication: Publication): Promise<boolean>;
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
