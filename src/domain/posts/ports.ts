import type { SearchSource } from "../search/ports.ts";
import type { TrashMark } from "../trash/ports.ts";
import type { Post, PostStatus } from "./post.ts";

export interface PostFilter {
  status?: PostStatus | undefined;
  /** The id of a post; only posts created before it. */
  before?: string | undefined;
  limit: number;
}

export interface PostSearchFilter {
  statuses?: readonly PostStatus[] | undefined;
  createdBy?: string | undefined;
  /** Only posts that are neither published nor planned. */
  isUnscheduled?: boolean | undefined;
}

export type PostChange = Partial<Pick<Post, "title" | "body" | "status" | "variants" | "crops" | "tags">> & {
  /** Null restores the post from the trash. */
  trash?: TrashMark | null;
  /** The list of assets, one of their texts, or a crop changes in the same transaction. */
  haveAssetsChanged?: boolean;
};

export interface UpdateCondition {
  /** The expected revision; undefined accepts any. */
  revision?: number | undefined;
  /** Whether the post is expected in the trash. A post whose time in the trash has expired is never updated. */
  isTrashed?: boolean;
  now: number;
}

export interface PostStore {
  insert(post: Post): Promise<void>;
  /** Like all methods whose name or description does not mention the trash, it ignores posts in the trash. */
  find(studioId: string, postId: string): Promise<Post | undefined>;
  /** Also returns whether the studio has connected platforms, and whether the post has publications. */
  findWithPlatformStatus(
    studioId: string,
    postId: string,
  ): Promise<{ post: Post; hasPlatforms: boolean; hasPublications: boolean } | undefined>;
  /** What `findWithPlatformStatus` returns, without the post. */
  findPlatformStatus(studioId: string, postId: string): Promise<{ hasPlatforms: boolean; hasPublications: boolean }>;
  /** Newest first. */
  list(studioId: string, filter: PostFilter): Promise<Post[]>;
  readonly search: SearchSource<Post, PostSearchFilter>;
  /** Adds one to the asset count and returns a position; undefined if the post is missing or has `limit` assets. */
  reservePosition(studioId: string, postId: string, limit: number): Promise<number | undefined>;
  /** Subtracts one from the asset count, even in the trash; false if the post does not exist or has no assets. */
  releasePosition(studioId: string, postId: string): Promise<boolean>;
  /** Increments the revision for a change of the assets and returns it; undefined if the post is missing. */
  incrementRevisionForAssets(studioId: string, postId: string, now: number): Promise<number | undefined>;
  /**
   * Allocates `count` consecutive numbers after all positions, to renumber assets that the post already has; returns the
   * first. The asset count stays the same.
   */
  allocatePositionNumbers(studioId: string, postId: string, count: number): Promise<number>;
  /** Updates the post and increments its revision; returns undefined if the post does not meet the condition. */
  update(studioId: string, postId: string, change: PostChange, condition: UpdateCondition): Promise<Post | undefined>;
  /** Also finds posts in the trash that have not expired. */
  findWithTrash(studioId: string, postId: string, now: number): Promise<Post | undefined>;
  /** Locks the post until the transaction ends, so that it does not change. */
  lock(studioId: string, postId: string): Promise<Post | undefined>;
  /** Locks a post whose time in the trash has expired; false if the post was restored or deleted. */
  lockExpired(postId: string, now: number): Promise<boolean>;
  /** Deletes the post with its history. Its assets must have been deleted. */
  remove(postId: string): Promise<void>;
}
