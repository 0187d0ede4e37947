import type { Asset } from "../model/asset.ts";
import type { ListedLink, ResolvedLink, UploadFile, UploadLink } from "../model/upload.ts";

export interface UploadStore {
  insertLink(link: UploadLink): Promise<void>;
  findLink(linkId: string): Promise<ResolvedLink | undefined>;
  /** Lists the links of a post that are open at `now`, newest first, without in-place links. */
  listLinks(studioId: string, postId: string, now: number, limit: number): Promise<ListedLink[]>;
  /** The number of links of a post that are open at `now`, including in-place links. */
  countOpenLinks(postId: string, now: number): Promise<number>;
  /** The number of those that this user's in-chat apps created for their own uploads. */
  countOpenAppUploads(postId: string, now: number, userId: string): Promise<number>;
  /** False if the link no longer accepts files, is already withdrawn or does not belong to this post. */
  withdraw(studioId: string, postId: string, linkId: string, now: number): Promise<boolean>;
  /** Withdraws the links of a post that still accept files. */
  withdrawForPost(postId: string, now: number): Promise<void>;
  /** Withdraws the user's links that still accept files; returns how many. */
  withdrawForUser(userId: string, now: number): Promise<number>;
  /** False, without a change, if the link already has an upload of this file. */
  insertFile(
    linkId: string,
    fileHash: string,
    file: { assetId: string; bytes: number; partBytes: number },
    now: number,
  ): Promise<boolean>;
  findFileByHash(linkId: string, fileHash: string): Promise<UploadFile | undefined>;
  findFile(linkId: string, assetId: string): Promise<UploadFile | undefined>;
  countFiles(linkId: string): Promise<number>;
  /** In the order in which they were started. */
  listFiles(linkId: string): Promise<UploadFile[]>;
  /**
   * Bytes that are charged for the link's files but have not arrived, optionally without one file. Locks the link until
   * the transaction ends.
   */
  sumReservedBytesForUpdate(linkId: string, exceptAssetId?: string): Promise<number>;
  recordReceived(assetId: string, count: Pick<UploadFile, "receivedBytes" | "lastPartAt" | "countedAt">): Promise<void>;
  /**
   * Uploading files whose received bytes were last counted at `countedBefore` or earlier: those that have reserved
   * bytes, and those whose last part arrived after `activeSince`. Least recently counted first.
   */
  listDueForCounting(filter: { countedBefore: number; activeSince: number; limit: number }): Promise<UploadFile[]>;
  /**
   * Uploading files whose link is withdrawn, grant is revoked, creator is no longer a member, or post is archived, with
   * ids greater than `afterId`, sorted by id.
   */
  listAbandoned(afterId: string, limit: number): Promise<Asset[]>;
}
