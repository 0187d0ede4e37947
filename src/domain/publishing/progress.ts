/** What the platform knows of a run so far: ids of uploaded media, by asset, and of a container. */
export interface PublicationProgress {
  mediaIds: Record<string, string>;
  /** Media that the platform had not processed when it was uploaded. */
  pendingIds?: string[] | undefined;
  containerId?: string | undefined;
  /** When it was first committed, if a user chose to publish it again. */
  firstCommittedAt?: number | undefined;
  /** The accounts that the text mentions, by name. Fixed before the commit, so that a repetition sends the same. */
  mentions?: Record<string, string> | undefined;
  /** The account's newest posts before the commit, for platforms where a lost commit is looked up among them. */
  earlierPostIds?: string[] | undefined;
  /** The platform said before the commit that an earlier one succeeded, so the commit is not sent. */
  isPublic?: boolean | undefined;
  /** What the commit returned for a post that the platform still processes, to read its status with. */
  processingId?: string | undefined;
  /** The digest of the content that was uploaded. */
  digest?: string | undefined;
  /** When the first file was about to be uploaded. */
  uploadedSince?: number | undefined;
  /** When the first read that should find a lost commit was made. */
  lookedUpSince?: number | undefined;
}
