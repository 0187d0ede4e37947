import type { VisibleState } from "./publication-states.ts";

/**
 * `newest`: the newest request first. `soonest`: those without a time first, then the earliest time; of several for the
 * same time, the oldest request first.
 */
export const publicationOrders = ["newest", "soonest"] as const;

export interface PublicationFilter {
  postId?: string | undefined;
  state?: VisibleState | undefined;
  /** Range of the publication's time: when it was published, else when it is scheduled, else when it was requested. */
  from?: number | undefined;
  to?: number | undefined;
  /** Leaves out publications that a newer one of the same post to the same account has replaced. */
  latest?: boolean | undefined;
  /** `newest` by default. */
  order?: (typeof publicationOrders)[number] | undefined;
  /** With the order `newest`: only publications older than this id. */
  before?: string | undefined;
  /** With the order `soonest`: only publications after this one. `at` is its planned time, or 0. */
  after?: { at: number; id: string } | undefined;
  limit: number;
}
