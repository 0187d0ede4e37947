import { useQuery } from "@tanstack/react-query";
import { publicationCountsQuery } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useNow } from "../ui/use-now.ts";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";
import { addDays, getStartOfDay, toLocalTime } from "#portable/zoned-time.ts";

/** Older failures and requests that were sent back do not count. */
const maxAgeDays = 7;

/**
 * Counts the publications that wait for this user: those that the user may approve, and those with a problem that only a
 * person can solve, by state. States without any are left out.
 */
export function usePublicationCounts() {
  const { studio, may } = useStudio();
  const firstDay = useNow((now) => addDays(toLocalTime(now, studio.timezone).slice(0, 10), 1 - maxAgeDays));
  const from = new Date(getStartOfDay(firstDay, studio.timezone)).toISOString();
  const { data } = useQuery(publicationCountsQuery(studio.id, from));
  const hasMore = (count: number): boolean => data !== undefined && count >= data.maxCount;
  const mayApprove = may("publications.approve") && mayPublishWithoutApproval(studio);
  const proposedCount = mayApprove ? (data?.proposed ?? 0) : 0;
  const kinds = [
    { label: "failed", search: { state: "failed", from: firstDay, latest: true }, count: data?.failed ?? 0 },
    { label: "unconfirmed", search: { state: "unconfirmed", latest: true }, count: data?.unconfirmed ?? 0 },
    { label: "missed", search: { state: "missed", latest: true }, count: data?.missed ?? 0 },
    { label: "sent back", search: { state: "canceled", from: firstDay, latest: true }, count: data?.sentBack ?? 0 },
  ] as const;
  return {
    proposals: { count: proposedCount, hasMore: hasMore(proposedCount) },
    attention: {
      kinds: kinds.filter(({ count }) => count > 0).map((kind) => ({ ...kind, hasMore: hasMore(kind.count) })),
      totalCount: kinds.reduce((sum, { count }) => sum + count, 0),
      hasMore: kinds.some(({ count }) => hasMore(count)),
    },
  };
}
