import type { TimePosition } from "../model/page.ts";
import type { PostSummary, SummaryAsset, SummaryPublication } from "../model/post-summary.ts";
import type { Post, PostStatus } from "../model/post.ts";
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
  listByIds(studioId: string, postIds: readonly string[], now: number): Promise<PostSummary[]>;
}

/** A publication on the calendar, with the parts of its post that the calendar shows. */
export interface CalendarEntry extends SummaryPublication {
  /** When the publication became public, otherwise when it is or was due. */
  at: number;
  /** Whether the post has a newer publication to the same account. */
  isSuperseded: boolean;
  post: Pick<Post, "id" | "studioId" | "title" | "status"> & { assets: SummaryAsset[] };
}

export interface CalendarFilter {
  from: number;
  to: number;
  /** The user who created the post, or for whom an AI client created it. */
  createdBy?: string | undefined;
  limit: number;
}

export interface CalendarStore {
  /** Oldest first, without canceled publications and without proposals that have no time. */
  list(studioId: string, filter: CalendarFilter): Promise<CalendarEntry[]>;
}
