import type { PublicationContent } from "./publication-content.ts";

/** What a platform's module has created at the platform so far. Only that module knows the fields. */
export type PlatformProgress = object;

/** What the runs of a publication have done so far, and what later runs need to know about it. */
export interface PublicationProgress {
  platform: PlatformProgress;
  /** The digest of the content that was uploaded. */
  digest?: string | undefined;
  /** When the upload of the first file started. */
  uploadedSince?: number | undefined;
  /** When a worker first looked up the post of a commit whose response was lost. */
  lookedUpSince?: number | undefined;
  /** When the publication was first committed, if a user chose to publish it again. */
  firstCommittedAt?: number | undefined;
  /** The content of the last commit, if a user chose to publish again. The next run first finds out if it is public. */
  sentContent?: PublicationContent | undefined;
  /** The revision of `sentContent`. The publication's revision changes if the post is edited before the next run. */
  sentRevision?: number | undefined;
}

/** Has the platform's fields beside the others, for processes of the previous version. */
export type StoredProgress = Omit<PublicationProgress, "platform"> & PlatformProgress;

export const toStoredProgress = ({ platform, ...progress }: PublicationProgress): StoredProgress => ({
  ...platform,
  ...progress,
});

export function fromStoredProgress(stored: StoredProgress): PublicationProgress {
  const { digest, uploadedSince, lookedUpSince, firstCommittedAt, sentContent, sentRevision, ...platform } = stored;
  return { platform, digest, uploadedSince, lookedUpSince, firstCommittedAt, sentContent, sentRevision };
}
