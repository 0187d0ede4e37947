import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { getAccountLabel, type PlatformConnection } from "./connection.ts";
import type { PublicationContent } from "./publication-content.ts";
import type { PublicationProgress } from "./publication-progress.ts";
import { type PublicationState, toVisibleState, visibleStates } from "./publication-states.ts";
import { toUserOrClient, userOrClientView } from "./user-or-client.ts";

/** Canceled ones included, because lists and the views of a post read all of them. */
export const maxPublicationsPerPost = 1000;
/** Lists of what is planned read all of them. */
export const maxOpenPublicationsPerStudio = 10_000;

/** What never changes about a publication. */
export interface PublicationRequest {
  id: string;
  studioId: string;
  postId: string;
  connectionId: string;
  /** Whether the platform shows the post's title. */
  includesTitle: boolean;
  requestedBy: string | null;
  requestedGrantId: string | null;
  requestedClientId: string | null;
  requestedClientName: string | null;
  createdAt: number;
}

/** A publication as stored in the database. */
export interface Publication extends PublicationRequest {
  state: PublicationState;
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
  approvedBy: string | null;
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
  /** How many parts are public, if it has follow-ups. The commit, the progress and the problem are about the next part. */
  publicParts: number;
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

export const publicationView = z.object({
  id: z.string(),
  postId: z.string(),
  connectionId: z.string(),
  platform: z.string(),
  account: z.string(),
  state: z
    .enum(visibleStates)
    .describe(
      "proposed: waits for a person's approval in the web app. scheduled: starts at its time. publishing: is being sent. published: the platform confirmed it. failed: nothing is public. unconfirmed: may be public, a person decides. missed: was due while the server was down. canceled: before it started.",
    ),
  scheduledFor: z.string().nullable().describe("Null: as soon as it is approved."),
  publishedAt: z.string().nullable(),
  url: z.string().nullable().describe("The public post."),
  revision: z.number().int(),
  requestedBy: userOrClientView.nullable(),
  requestedThrough: z.string().nullable().describe("The AI client that requested it."),
  approvedBy: userOrClientView.nullable(),
  hasLostApproval: z
    .literal(true)
    .optional()
    .describe("Only if it is proposed because of a change after its approval."),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdAt: z.string(),
});

export type PublicationView = z.infer<typeof publicationView>;

export function toPublicationView(publication: PublicationWithNames): PublicationView {
  const toTime = (ms: number | null) => (ms === null ? null : toIsoTime(ms));
  return {
    id: publication.id,
    postId: publication.postId,
    connectionId: publication.connectionId,
    platform: publication.platform,
    account: getAccountLabel(publication.account),
    state: toVisibleState(publication.state),
    scheduledFor: toTime(publication.scheduledFor),
    publishedAt: toTime(publication.publishedAt),
    url: publication.url,
    revision: publication.revision,
    requestedBy: toUserOrClient(publication.requestedBy, publication.requestedByName),
    requestedThrough: publication.requestedClientName,
    approvedBy: toUserOrClient(publication.approvedBy, publication.approvedByName),
    ...(publication.state === "proposed" && publication.approvedRevision !== null ? { hasLostApproval: true } : {}),
    problem: publication.problem,
    createdAt: toIsoTime(publication.createdAt),
  };
}

/**
 * The web app offers to publish a failed publication again, or a missed one at another time, unless it is superseded or
 * its post is in the trash.
 */
export type WebPublicationView = PublicationView & Pick<PublicationWithNames, "isSuperseded" | "postTitle">;

export const toWebPublicationView = (publication: PublicationWithNames): WebPublicationView => ({
  ...toPublicationView(publication),
  isSuperseded: publication.isSuperseded,
  postTitle: publication.postTitle,
});

export const tooLateError = (publication: Publication): AppError =>
  new AppError("too_late", { state: toVisibleState(publication.state) });
