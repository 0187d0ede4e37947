import type { Generated } from "kysely";
import type { Grant } from "#domain/model/grant.ts";
import type { ListedUser } from "#domain/model/user.ts";
import type { LinkedIdentity, NewOAuthRecord } from "#domain/ports/access.ts";
import type { ActivityRow } from "#domain/model/activity.ts";
import type { Asset, RevisionAsset } from "#domain/model/asset.ts";
import type { Comment } from "#domain/model/comment.ts";
import type { AssetFieldChange, Author, Revision, RevisionField } from "#domain/model/revision.ts";
import type { Account, PlatformConnection } from "#domain/model/connection.ts";
import type { ConnectLink, RegisteredApp } from "#domain/ports/platforms.ts";
import type { Mail, MailChoice, MailServer } from "#domain/model/mail.ts";
import type { Notification } from "#domain/model/notification.ts";
import type { Post } from "#domain/model/post.ts";
import type { Publication } from "#domain/model/publication.ts";
import type { PublishedPart } from "#domain/model/publication-parts.ts";
import type { StoredProgress } from "#domain/model/publication-progress.ts";
import type { ImageInspection } from "#domain/model/renditions/plan-rendition.ts";
import type { ReviewDecision, ReviewLink, ReviewPost } from "#domain/model/review.ts";
import type { Invitation, MembershipRecord, Studio } from "#domain/model/studio.ts";
import type { McpSession } from "#domain/ports/subscriptions.ts";
import type { ResultSnapshot } from "#domain/model/results.ts";
import type { Slot } from "#domain/model/slot.ts";
import type { UploadFile, UploadLink } from "#domain/model/upload.ts";
import type { Delivery, Webhook } from "#domain/model/webhook.ts";

type WithDefaults<Row, Column extends keyof Row> = Omit<Row, Column> & { [C in Column]: Generated<Row[C]> };

export interface SandboxMedia {
  mimeType: string;
  bytes: number;
  altText: string | null;
}

export interface SandboxPost {
  id: string;
  account: string;
  text: string;
  media: SandboxMedia[];
  options: Record<string, string | undefined>;
  replyTo: string | null;
  createdAt: number;
}

/** What the sandbox counts about a post. */
export const sandboxMetrics = ["likes", "comments", "reposts"] as const;
export type SandboxMetric = (typeof sandboxMetrics)[number];

interface SearchColumns {
  searchText: string;
  /** False if the search text and the tokens are missing or outdated. */
  searchIndexed: Generated<boolean>;
}

export interface TrashColumns {
  trashedAt: number | null;
  trashExpiresAt: number | null;
  trashedBy: string | null;
  trashedClientName: string | null;
}

/** Who made a change, when, and through which AI client. */
type AuthorColumns = Author & { at: number };

export type ImageTraits = Exclude<ImageInspection, { problem: unknown }>;

/** The tables after all migrations. `columns.ts` says how their names and values differ in the database. */
export interface Schema {
  users: ListedUser & { subject: string };
  linkedIdentities: LinkedIdentity;
  sessions: { tokenHash: string; userId: string; createdAt: number; expiresAt: number };
  /** `posts` is a JSON object. */
  mcpSessions: McpSession & { streamId: string | null; posts: string };
  oauthClients: { id: string; metadata: Record<string, unknown>; createdAt: number };
  /** `scopes` are separated by spaces. */
  grants: Omit<Grant, "scopes"> & { scopes: string; generation: number; rotatedAt: number };
  grantCalls: { grantId: string; day: number; calls: number };
  oauthRecords: NewOAuthRecord & {
    model: string;
    idHash: string;
    generation: number | null;
    consumedAt: number | null;
  };

  studios: WithDefaults<Studio, "approval"> & {
    ownerCount: number;
    usedBytes: Generated<number>;
    deletedAt: number | null;
  };
  memberships: MembershipRecord;
  invitations: Invitation & {
    tokenHash: string;
    acceptedBy: string | null;
    acceptedAt: number | null;
    revokedAt: number | null;
  };
  /** `detail` is JSON. */
  activity: Omit<ActivityRow, "detail"> & { detail: string };
  pendingEvents: { activityId: string };
  webhooks: Webhook & { dueAt: Generated<number | null> };
  webhookDeliveries: Delivery;
  notifications: WithDefaults<Notification, "summaryAt">;
  mails: Mail;
  mailChoices: MailChoice;
  mailServers: MailServer & { name: string };

  posts: WithDefaults<Omit<Post, "isTrashed">, "assetCount" | "variants" | "crops" | "tags"> &
    SearchColumns &
    TrashColumns & { lastPosition: Generated<number>; assetsRevision: Generated<number> };
  assets: WithDefaults<Asset, "tags"> & SearchColumns & TrashColumns;
  postRevisions: Omit<Revision, "userName" | "changed" | "assets"> & {
    [Field in RevisionField as `${Field}Changed`]: boolean;
  } & { postId: string; studioId: string; assetsRevision: number; autosaveStart: number | null };
  postRevisionAssets: Omit<RevisionAsset, "id"> & {
    postId: string;
    revision: number;
    position: number;
    assetId: string;
  };
  /** `change` is the number of the change, counted per asset. */
  assetChanges: AssetFieldChange & AuthorColumns & { assetId: string; change: number; studioId: string };
  comments: WithDefaults<Omit<Comment, "isDeleted">, "visibility"> & { removedAt: number | null };
  /** `change` is the number of the change, counted per comment. */
  commentChanges: AuthorColumns & { commentId: string; change: number; isDeleted: boolean; studioId: string };
  uploadLinks: UploadLink;
  reviewLinks: WithDefaults<ReviewLink, "viewCount"> & { commentCount: Generated<number> };
  reviewPosts: WithDefaults<Omit<ReviewPost, "decision">, "isOutdated"> & {
    [Field in keyof ReviewDecision]: ReviewDecision[Field] | null;
  } & { studioId: string; position: number; decisionCount: Generated<number> };
  uploadFiles: WithDefaults<Omit<UploadFile, "asset">, "receivedBytes" | "lastPartAt" | "countedAt"> & {
    assetId: string;
    linkId: string;
    fileHash: string;
  };
  /** `previews` are the keys of the image's preview files as JSON, oldest first. */
  imageInspections: { [Trait in keyof ImageTraits]: ImageTraits[Trait] | null } & {
    assetId: string;
    problem: Extract<ImageInspection, { problem: unknown }>["problem"] | null;
    previews: Generated<string>;
  };
  sharedFiles: { storageKey: string; studioId: string; assetCount: number };
  strayFiles: { key: string; dueAt: number; isMarkedForDeletion: boolean };

  publications: WithDefaults<Omit<Publication, "problem" | "progress">, "attempts" | "fence" | "publicParts"> & {
    progress: StoredProgress | null;
    /** The keys in the digest, separated by spaces. Null: none, or a process of the previous version wrote the row. */
    fileKeys: string | null;
    problemCode: string | null;
    problemMessage: string | null;
    slotAt: number | null;
    sequence: Generated<number>;
  };
  resultReadings: {
    publicationId: string;
    connectionId: string;
    publishedAt: number;
    dueAt: number | null;
    refreshedAt: number | null;
  };
  resultSnapshots: ResultSnapshot;
  calendarFeeds: { studioId: string; userId: string; tokenHash: string; createdAt: number };
  slots: Slot & { studioId: string };
  publicationParts: PublishedPart & { publicationId: string; connectionId: string };
  platformConnections: Omit<PlatformConnection, "account" | "credentialGeneration" | "tokenExpiresAt"> &
    Omit<Account, "id"> & {
      accountId: string;
      generation: number;
      expiresAt: number | null;
      renewAt: number | null;
      renewingUntil: Generated<number>;
    };
  /** Connect links. */
  platformConnects: Omit<ConnectLink, "client"> & {
    clientId: string | null;
    clientName: string | null;
    stateHash: string | null;
    stateExpiresAt: number | null;
    usedAt: number | null;
  };
  platformApps: RegisteredApp & { createdAt: number };
  sandboxPosts: SandboxPost & { idempotencyKey: string | null } & { [Name in SandboxMetric]: number | null };
  sandboxMedia: SandboxMedia & { id: string; account: string; createdAt: number };
  sandboxFaults: { name: string; remaining: number };

  rateLimits: { key: string; windowEnd: number; hits: number };
  leases: { name: string; holder: string; expiresAt: number };
  idempotencyKeys: {
    studioId: string;
    userId: string;
    verb: string;
    key: string;
    inputHash: string;
    result: string;
    createdAt: number;
  };
}
