import { useMemo } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import { stateLabels } from "../../publishing/publication-states.ts";
import { describePostState } from "../describe-post-state.ts";
import type { Density } from "./use-density.ts";

/** The classes of the columns, which the rows and the headings share. */
export interface Columns {
  /** Undefined if no row has publications. */
  accounts: string | undefined;
  /** Only as wide as the avatar if there is little room. */
  /** Undefined if no row has a review link. */
  review: string | undefined;
  author: string;
  state: string;
  /** The same in a compact row that is narrow; without room, only as wide as the icon. */
  narrowState: string;
  time: string;
}

/** “Waiting for approval” needs a wider column than all other states, or two lines. */
export const hasLongState = (post: PostSummary): boolean => describePostState(post).label === stateLabels.proposed;

/**
 * The columns of the list, only as wide as their values, so that the titles get the rest. The result changes only if a
 * column does, so that rows need not render again.
 */
export function useColumns(posts: readonly PostSummary[], density: Density): Columns {
  const hasAccounts = posts.some(({ publications }) => publications.length > 0);
  const hasReviews = posts.some(({ review }) => review !== null);
  const isStateWide = density === "compact" && posts.some(hasLongState);
  return useMemo(
    () => ({
      accounts: hasAccounts ? "w-28 min-w-0 flex-none @7xl:w-36" : undefined,
      review: hasReviews ? "w-32 min-w-0 flex-none" : undefined,
      author: "w-5 flex-none @5xl:w-40 @7xl:w-44",
      state: `flex-none ${isStateWide ? "w-38 pointer-coarse:w-40" : "w-28"}`,
      narrowState: `flex-none ${isStateWide ? "@2xl:w-38 @2xl:pointer-coarse:w-40" : "@2xl:w-28"}`,
      time: "flex w-38 flex-none justify-end pointer-coarse:w-42",
    }),
    [hasAccounts, hasReviews, isStateWide],
  );
}
