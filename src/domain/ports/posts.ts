import type { Post, PostStage, PostStatus } from "../model/post.ts";
import type { PostReviewFilter } from "../model/review.ts";
import type { TrashMark } from "../model/trash.ts";
import type { SearchSource } from "./search.ts";

export interface PostFilter {
  status?: PostStatus | undefined;
  /** The id of a post; only posts created before it. */
  before?: string | undefined;
  limit: number;
  maxTextLength: number;
}

export interface PostSearchFilter {
  statuses?: readonly PostStatus[] | undefined;
  createdBy?: string | undefined;
  stage?: PostStage | undefined;
  review?: PostReviewFilter | undefined;
}

export type PostChange = Partial<Pick<Post, "title" | "body" | "status" | "variants" | "crops" | "tags">> & {
  /** Null restores the post from the trash. */
  trash?: TrashMark | null;
  /** Whether the same transaction also changes the list of assets, one of their texts, or a crop. */
  haveAssetsChanged?: boolean;
};

export interface UpdateCondition {
  /** The expected revision; undefined accepts any. */
  revision?: number | undefined;
  /** Whether the post must be in the trash; otherwise, it must not be. Expired posts in the trash are never updated. */
  isTrashed?: boolean;
  now: number;
}

/** Which details a post's view has, so that the caller can skip the queries for the others. */
export interface DetailFlags {
  /** Whether the studio has connected platforms. */
  hasPlatforms: boolean;
  hasPublications: boolean;
}

export interface PostStore {
  /** Finds a post that is not in the trash. */
  find(studioId: string, postId: string): Promise<Post | undefined>;
  /** Finds a post that is not in the trash, and which details it has. */
  findWithDetailFlags(studioId: string, postId: string): Promise<({ post: Post } & DetailFlags) | undefined>;
  findDetailFlags(studioId: string, postId: string): Promise<DetailFlags>;
  /**
   * Lists posts that are not in the trash, newest first, until the texts exceed `maxTextLength` characters; at least one
   * post. `scannedTo` is the last one if there are more.
   */
  list(studioId: string, filter: PostFilter): Promise<{ items: Post[]; scannedTo: string | undefined }>;
  /** Searches posts that are not in the trash. */
  readonly search: SearchSource<Post, PostSearchFilter>;
  /** Also finds posts in the trash that have not expired. */
  findWithTrash(studioId: string, postId: string, now: number): Promise<Post | undefined>;
}

/** Only in a transaction. */
export interface LockablePostStore extends PostStore {
  /** Locks the post until the transaction ends, so that it does not change; undefined if it is gone or in the trash. */
  lock(studioId: string, postId: string): Promise<Post | undefined>;
}

/** For `changePost` and the other writers of posts. */
export interface PostWrites {
  insert(post: Post): Promise<void>;
  /** Adds one to the asset count and returns a position; undefined if the post is missing or has `limit` assets. */
  reservePosition(studioId: string, postId: string, limit: number): Promise<number | undefined>;
  /** Subtracts one from the asset count, even in the trash; false if the post does not exist or has no assets. */
  releasePosition(studioId: string, postId: string): Promise<boolean>;
  /**
   * Allocates `count` consecutive numbers after all positions, to renumber assets that the post already has. Works even
   * in the trash. Returns the first number. The asset count stays the same.
   */
  allocatePositionNumbers(studioId: string, postId: string, count: number): Promise<number>;
  /** Updates the post and increments its revision; returns undefined if the post does not meet the condition. */
  update(studioId: string, postId: string, change: PostChange, condition: UpdateCondition): Promise<Post | undefined>;
  /** Locks a post whose time in the trash has expired; false if the post was restored or deleted. */
  lockExpired(postId: string, now: number): Promise<boolean>;
  /** Deletes the post with its history. Its assets must have been deleted. */
  remove(postId: string): Promise<void>;
}
