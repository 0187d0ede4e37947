import type { Post, PostStatus } from "./post.ts";

export interface PostFilter {
  status?: PostStatus | undefined;
  /** Only posts made before this one. */
  before?: string | undefined;
  limit: number;
}

/** A stretch of the posts in a list, newest first; both ends are part of it. */
export interface PostRange {
  status?: PostStatus | undefined;
  newest: string;
  oldest: string;
}

export type PostChange = Partial<Pick<Post, "title" | "body" | "status">>;

export interface PostStore {
  insert(post: Omit<Post, "assetCount">): Promise<void>;
  find(studioId: string, postId: string): Promise<Post | undefined>;
  /** The same, with whether its studio has any platform connected. */
  findWithPlatformStatus(studioId: string, postId: string): Promise<{ post: Post; hasPlatforms: boolean } | undefined>;
  /** Newest first. */
  list(studioId: string, filter: PostFilter): Promise<Post[]>;
  /** Newest first, with the bytes that a search has to read of each. Reads no text itself. */
  listSizes(studioId: string, filter: PostFilter): Promise<{ id: string; bytes: number }[]>;
  /** Newest first, at most `limit`: the posts in the range that contain the query, folded by `foldForSearch`. */
  findMatches(studioId: string, range: PostRange, query: string, limit: number): Promise<Post[]>;
  /** Counts one more asset, and answers its place; undefined where the post is gone or has `limit` of them. */
  reservePosition(studioId: string, postId: string, limit: number, now: number): Promise<number | undefined>;
  /** Counts one asset less; false where the post is gone or has none. */
  releasePosition(studioId: string, postId: string, now: number): Promise<boolean>;
  /** Raises the revision: something on the post became another. False where the post is gone. */
  bumpRevision(studioId: string, postId: string, now: number): Promise<boolean>;
  /** So many new places behind all others, in order; answers the first. */
  allocatePositions(studioId: string, postId: string, count: number): Promise<number>;
  /** Changes the post and raises its revision, unless it is gone or past `revision`; undefined then. */
  update(
    studioId: string,
    postId: string,
    change: PostChange,
    revision: number | undefined,
    now: number,
  ): Promise<Post | undefined>;
}
