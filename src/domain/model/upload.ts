import type { Person } from "../caller.ts";
import type { Role } from "../policy.ts";
import type { Asset } from "./asset.ts";
import type { PostStatus } from "./post.ts";

export interface UploadLink {
  id: string;
  studioId: string;
  /** Null if the files are uploaded to the library. */
  postId: string | null;
  createdBy: string;
  /** The grant of the AI client that created the link, if any. */
  grantId: string | null;
  clientId: string | null;
  clientName: string | null;
  /** Created by the web app or the in-chat app for its own uploads; not listed as a link. */
  isInPlace: boolean;
  createdAt: number;
  expiresAt: number;
  withdrawnAt: number | null;
}

/** A link with everything that determines its state, read in one query. */
export interface ResolvedLink extends UploadLink {
  studioName: string;
  postTitle: string | null;
  postStatus: PostStatus | null;
  /** Files on the post, including those that are uploading; 0 for the library. */
  postAssetCount: number;
  creator: Person;
  /** Null if the creator is disabled or no longer a member. */
  creatorRole: Role | null;
  isGrantRevoked: boolean;
  pendingFileCount: number;
  readyFileCount: number;
}

export interface ListedLink extends UploadLink {
  creatorName: string;
  pendingFileCount: number;
  readyFileCount: number;
}

/** A file uploaded, or being uploaded, through a link. */
export interface UploadFile {
  asset: Asset;
  /** The size declared by the client. */
  bytes: number;
  partBytes: number;
  /** Bytes that had arrived at `countedAt`. */
  receivedBytes: number;
  /** When a new part was last detected, or bytes were first reserved. */
  lastPartAt: number;
  countedAt: number;
}
