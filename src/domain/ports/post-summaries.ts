import type { TimePosition } from "../model/page.ts";
import type { PostSummary } from "../model/post-summary.ts";
import type { PostStatus } from "../model/post.ts";
import type { PostSearchFilter } from "./posts.ts";

export interface PostSummaryFilter extends PostSearchFilter {
  statuses: readonly PostStatus[];
  /** Only posts older than this id. */
  before?: string | undefined;
  limit: number;
}

export interface PostSummaryStore {
  /** The ids of posts, newest first, without posts in the trash. */
  listIds(studioId: string, filter: PostSummaryFilter): Promise<Pick<PostSummary, "id">[]>;
  /**
   * The ids of posts with an open publication, by the earliest planned time, without posts in the trash. `at` is 0 if one
   * of the open publications has no time.
   */
  listScheduledIds(
    studioId: string,
    filter: Pick<PostSummaryFilter, "statuses" | "createdBy" | "limit"> & {
      after: TimePosition | undefined;
    },
  ): Promise<{ id: string; at: number }[]>;
  /** How many posts `listIds` would return. */
  count(studioId: string, filter: PostSummaryFilter): Promise<number>;
  /** In the order of `postIds`, without posts in the trash. */
  listByIds(studioId: string, postIds: readonly string[]): Promise<PostSummary[]>;
}
