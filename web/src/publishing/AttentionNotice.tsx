import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { pollEvery } from "../api/paged-query.ts";
import { publicationsQuery, type ListedPublication, type PublicationFilter } from "../api/publication-queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { addDays } from "../posts/calendar/calendar-days.ts";
import { Notice } from "../ui/Notice.tsx";
import { getStartOfDay, toLocalTime } from "./zoned-time.ts";

/** Older failures are not shown. */
const maxFailureAgeDays = 7;

/** Counts publications with a problem that only a person can solve. */
export function AttentionNotice() {
  const { studio } = useStudio();
  const firstDay = addDays(toLocalTime(Date.now(), studio.timezone).slice(0, 10), 1 - maxFailureAgeDays);
  const from = new Date(getStartOfDay(firstDay, studio.timezone)).toISOString();
  const failedList = useLatestPublications({ state: "failed", from });
  const unconfirmedList = useLatestPublications({ state: "unconfirmed" });
  const missedList = useLatestPublications({ state: "missed" });

  const kinds = [
    { label: "failed", search: { state: "failed", from: firstDay, latest: true }, ...failedList },
    { label: "unconfirmed", search: { state: "unconfirmed", latest: true }, ...unconfirmedList },
    { label: "missed", search: { state: "missed", latest: true }, ...missedList },
  ] as const;
  const shownKinds = kinds.filter(({ items }) => items.length > 0);
  if (shownKinds.length === 0) return null;
  const totalCount = shownKinds.reduce((sum, { items }) => sum + items.length, 0);
  const hasMore = shownKinds.some((kind) => kind.hasMore);
  return (
    <Notice tone="warning">
      {totalCount === 1 && !hasMore
        ? "1 publication needs your attention: "
        : `${totalCount}${hasMore ? "+" : ""} publications need your attention: `}
      {shownKinds.map(({ label, search, items, hasMore: hasMoreOfKind }, index) => (
        <Fragment key={label}>
          {index > 0 && ", "}
          <Link
            // As an inline element, its padding enlarges the target without moving the text.
            className="font-medium whitespace-nowrap pointer-coarse:py-3"
            to="/studios/$studioId/publications"
            params={{ studioId: studio.id }}
            search={search}
          >
            {items.length}
            {hasMoreOfKind && "+"} {label}
          </Link>
        </Fragment>
      ))}
    </Notice>
  );
}

/** Lists publications, except those that a newer publication of the same post to the same account has replaced. */
function useLatestPublications(filter: PublicationFilter): { items: readonly ListedPublication[]; hasMore: boolean } {
  const { studio } = useStudio();
  const { query, items } = usePagedList({
    ...publicationsQuery(studio.id, { ...filter, latest: "true" }),
    refetchInterval: pollEvery(30_000),
  });
  return { items, hasMore: query.hasNextPage };
}
