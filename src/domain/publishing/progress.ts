import type { PublicationContent } from "./ports.ts";

/** What the runs of a publication have created at the platform so far, and what later runs need to know about it. */
export interface PublicationProgress {
  /** Ids of uploaded media, by asset id. */
  mediaIds: Record<string, string>;
  /** Ids of media that the platform was still processing when the upload ended. */
  pendingIds?: string[] | undefined;
  containerId?: string | undefined;
  /** When the publication was first committed, if a user chose to publish it again. */
  firstCommittedAt?: number | undefined;
  /** The content of the last commit, if a user chose to publish again. The next run first finds out if it is public. */
  sentContent?: PublicationContent | undefined;
  /** The revision of `sentContent`. The publication's revision changes if the post is edited before the next run. */
  sentRevision?: number | undefined;
  /** Ids of the accounts that the text mentions, by name. Stored, so that a repeated commit sends the same request. */
  mentions?: Record<string, string> | undefined;
  /** Ids of the account's newest posts just before the commit, so none of them is the post that the commit created. */
  earlierPostIds?: string[] | undefined;
  /** An earlier commit made the post public, or is still being processed by the platform. No further commit is sent. */
  isPublic?: boolean | undefined;
  /** The id that the commit returned for a post that the platform is still processing; used to read its status. */
  processingId?: string | undefined;
  /** The digest of the content that was uploaded. */
  digest?: string | undefined;
  /** When the upload of the first file started. */
  uploadedSince?: number | undefined;
  /** When a worker first looked up the post of a commit whose response was lost. */
  lookedUpSince?: number | undefined;
}
