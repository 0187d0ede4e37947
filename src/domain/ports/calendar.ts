import type { SummaryAsset, SummaryPublication } from "../model/post-summary.ts";
import type { Post } from "../model/post.ts";

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
