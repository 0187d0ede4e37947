import type { Post, PostStatus } from "./post.ts";

export interface PostFilter {
  status?: PostStatus | undefined;
  /** Folded by `foldForSearch`. */
  query?: string | undefined;
  /** Only posts made before this one. */
  before?: string | undefined;
  limit: number;
}

export type PostChange = Partial<Pick<Post, "title" | "body" | "status">>;

export interface PostStore {
  insert(post: Post): Promise<void>;
  find(studioId: string, postId: string): Promise<Post | undefined>;
  /** Newest first. */
  list(studioId: string, filter: PostFilter): Promise<Post[]>;
  /** Changes the post and raises its revision, unless it is gone or past `revision`; undefined then. */
  update(
    studioId: string,
    postId: string,
    change: PostChange,
    revision: number | undefined,
    now: number,
  ): Promise<Post | undefined>;
}
