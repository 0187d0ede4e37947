import { pollEvery } from "../api/paged-query.ts";
import { publicationsQuery, type Publication, type PublicationFilter } from "../api/publication-queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { addDays } from "../posts/calendar/calendar-days.ts";
import { isOwnSentBack } from "./sent-back.ts";
import { getStartOfDay, toLocalTime } from "./zoned-time.ts";

/** Older failures and requests that were sent back do not count. */
const maxAgeDays = 7;

/** Counts publications with a problem that only a person can solve, by state. States without any are left out. */
export function useAttention() {
  const { studio, me } = useStudio();
  const firstDay = addDays(toLocalTime(Date.now(), studio.timezone).slice(0, 10), 1 - maxAgeDays);
  const from = new Date(getStartOfDay(firstDay, studio.timezone)).toISOString();
  // One after another, because starting four requests at once would delay the first page on a slow computer.
  const failed = useLatestCount({ state: "failed", from }, true);
  const unconfirmed = useLatestCount({ state: "unconfirmed" }, failed.isFetched);
  const missed = useLatestCount({ state: "missed" }, unconfirmed.isFetched);
  const sentBack = useLatestCount({ state: "canceled", from }, missed.isFetched, (publication) =>
    isOwnSentBack(publication, me.user.id),
  );

  const kinds = [
    { label: "failed", search: { state: "failed", from: firstDay, latest: true }, ...failed },
    { label: "unconfirmed", search: { state: "unconfirmed", latest: true }, ...unconfirmed },
    { label: "missed", search: { state: "missed", latest: true }, ...missed },
    { label: "sent back", search: { state: "canceled", from: firstDay, latest: true }, ...sentBack, hasMore: false },
  ] as const;
  return {
    kinds: kinds.filter(({ count }) => count > 0),
    totalCount: kinds.reduce((sum, { count }) => sum + count, 0),
    hasMore: kinds.some((kind) => kind.hasMore),
  };
}

/** Counts publications, except those that a newer publication of the same post to the same account has replaced. */
function useLatestCount(
  filter: PublicationFilter,
  enabled: boolean,
  isCounted: (publication: Publication) => boolean = () => true,
) {
  const { studio } = useStudio();
  const { query, items } = usePagedList({
    ...publicationsQuery(studio.id, { ...filter, latest: "true" }),
    refetchInterval: pollEvery(30_000),
    enabled,
  });
  return { count: items.filter(isCounted).length, hasMore: query.hasNextPage, isFetched: query.isFetched };
}
