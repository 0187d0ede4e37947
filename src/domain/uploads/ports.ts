import type { Asset } from "../assets/model/asset.ts";
import type { Person } from "../caller.ts";
import type { PostStatus } from "../posts/post.ts";
import type { Role } from "../policy.ts";

export interface UploadLink {
  id: string;
  studioId: string;
  postId: string;
  createdBy: string;
  /** The approval of the AI client that made it, if one did. */
  grantId: string | null;
  clientId: string | null;
  clientName: string | null;
  /** Made by the post's own page for itself. */
  inPlace: boolean;
  createdAt: number;
  expiresAt: number;
  withdrawnAt: number | null;
}

/** A link with all that decides whether it is good, as one look-up finds it. */
export interface ResolvedLink extends UploadLink {
  studioName: string;
  postTitle: string;
  postStatus: PostStatus;
  creator: Person;
  /** Null: whoever made it is no member any more, or disabled. */
  creatorRole: Role | null;
  isGrantRevoked: boolean;
  pendingFiles: number;
  readyFiles: number;
}

export interface ListedLink extends UploadLink {
  makerName: string;
  pendingFiles: number;
  readyFiles: number;
}

/** A file that was sent, or is being sent, through a link. */
export interface UploadFile {
  asset: Asset;
  /** What its sender said it has. */
  bytes: number;
  partBytes: number;
  /** How many bytes had arrived when they were last counted. */
  receivedBytes: number;
  /** When a part was last seen to have arrived, or bytes were reserved. */
  partAt: number;
  countedAt: number;
}

export interface UploadStore {
  insertLink(link: UploadLink): Promise<void>;
  /** One round trip. */
  findLink(linkId: string): Promise<ResolvedLink | undefined>;
  /** Links to a post that are good at `now`, newest first; without those of the page itself. */
  listLinks(studioId: string, postId: string, now: number): Promise<ListedLink[]>;
  /** False where it was withdrawn before, or is no link to this post. */
  withdraw(studioId: string, postId: string, linkId: string, now: number): Promise<boolean>;
  /** Withdraws all that this user made and that still take files; answers how many. */
  withdrawForUser(userId: string, now: number): Promise<number>;
  /** False, and nothing changed, where this file was begun already. */
  insertFile(
    linkId: string,
    fileHash: string,
    file: { assetId: string; bytes: number; partBytes: number },
    now: number,
  ): Promise<boolean>;
  findFileByHash(linkId: string, fileHash: string): Promise<UploadFile | undefined>;
  findFile(linkId: string, assetId: string): Promise<UploadFile | undefined>;
  /** In the order they were begun. */
  listFiles(linkId: string): Promise<UploadFile[]>;
  /**
   * Bytes that are charged for the link's files and have not arrived, one file left out if wanted. Until its
   * transaction ends, other transactions that ask for this link wait.
   */
  heldBytesForUpdate(linkId: string, exceptAssetId?: string): Promise<number>;
  noteReceived(assetId: string, count: Pick<UploadFile, "receivedBytes" | "partAt" | "countedAt">): Promise<void>;
  /** Uploading files that hold a reservation or were active since then, longest not counted first. */
  listUncounted(filter: { countedBefore: number; activeSince: number; limit: number }): Promise<UploadFile[]>;
  /** Files on their way through links that are dead: withdrawn, their client revoked, their maker or post gone. */
  listAbandoned(limit: number): Promise<Asset[]>;
}
