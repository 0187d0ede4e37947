import type { Post, PostStatus } from "./post.ts";

export interface PostFilter {
  status?: PostStatus | undefined;
  /** Only posts older than this id. */
  before?: string | undefined;
  limit: number;
}

/** A range of posts; includes both ends. */
export interface PostRange {
  status?: PostStatus | undefined;
  newest: string;
  oldest: string;
}

export type PostChange = Partial<Pick<Post, "title" | "body" | "status">>;

export interface PostStore {
  insert(post: Omit<Post, "assetCount">): Promise<void>;
  find(studioId: string, postId: string): Promise<Post | undefined>;
  /** Also returns whether the studio has connected platforms. */
  findWithPlatformStatus(studioId: string, postId: string): Promise<{ post: Post; hasPlatforms: boolean } | undefined>;
  /** Newest first. */
  list(studioId: string, filter: PostFilter): Promise<Post[]>;
  /** Newest first, with the number of bytes that a search reads per post. Reads no text itself. */
  listSizes(studioId: string, filter: PostFilter): Promise<{ id: string; bytes: number }[]>;
  /** Posts in the range that contain the query (normalized by `normalizeForSearch`), newest first, at most `limit`. */
  findMatches(studioId: string, range: PostRange, query: string, limit: number): Promise<Post[]>;
  /** Adds one to the asset count and returns a position; undefined if the post is gone or already has `limit` assets. */
  reservePosition(studioId: string, postId: string, limit: number, now: number): Promise<number | undefined>;
  /** Subtracts one from the asset count; returns false if the post is gone or has no assets. */
  releasePosition(studioId: string, postId: string, now: number): Promise<boolean>;
  /** Increments the revision after a change of the post's assets; returns false if the post is gone. */
  bumpRevision(studioId: string, postId: string, now: number): Promise<boolean>;
  /** Allocates `count` consecutive positions after all others; returns the first. */
  allocatePositions(studioId: string, postId: string, count: number): Promise<number>;
  /** Updates the post and increments its revision; returns undefined if it is gone or no longer at `revision`. */
  update(
    studioId: string,
    postId: string,
    change: PostChange,
    revision: number | undefined,
    now: number,
  ): Promise<Post | undefined>;
}
