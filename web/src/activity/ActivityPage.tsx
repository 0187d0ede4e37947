import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { activityQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ShowMore } from "../ui/ShowMore.tsx";
import { ActivityFilters } from "./ActivityFilters.tsx";
import { ActivityRow } from "./ActivityRow.tsx";

const route = getRouteApi("/studios/$studioId/activity");

export function ActivityPage() {
  const { studio, may } = useStudio();
  return may("activity.list") ? (
    <StudioActivity />
  ) : (
    <>
      <PageHeader title="Activity" />
      <EmptyState title="Only owners and admins can see activity">
        <p className="text-muted">
          Your role in this studio is {studio.role}. To find out who changed something, ask an owner or admin.
        </p>
        <p className="flex flex-wrap gap-3">
          <Link className="button" to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
            Go to posts
          </Link>
          <Link className="button secondary" to="/studios/$studioId/members" params={{ studioId: studio.id }}>
            See members
          </Link>
        </p>
      </EmptyState>
    </>
  );
}

function StudioActivity() {
  const { studio } = useStudio();
  const filter = route.useSearch();
  const activity = useInfiniteQuery(activityQuery(studio.id, filter));
  const rows = activity.data?.pages.flatMap((page) => page.activity) ?? [];
  const days = Map.groupBy(rows, ({ at }) => formatDay(at, studio.timezone));

  return (
    <>
      <PageHeader title="Activity">Who did what in {studio.name}, in person or through an AI client.</PageHeader>
      <ActivityFilters filter={filter} />
      <QueryStatus query={activity} />
      {[...days].map(([day, dayRows]) => (
        <section key={day} className="day" aria-label={day}>
          <h2 className="day-name">{day}</h2>
          <ul className="plain">
            {dayRows.map((row) => (
              <ActivityRow key={row.id} row={row} />
            ))}
          </ul>
        </section>
      ))}
      {activity.isSuccess && rows.length === 0 && (
        <EmptyState title="No matching activity">
          <p>
            <Link to="/studios/$studioId/activity" params={{ studioId: studio.id }}>
              Clear filters
            </Link>
          </p>
        </EmptyState>
      )}
      <ShowMore query={activity} label="Show earlier" />
    </>
  );
}

function formatDay(at: string, timezone: string): string {
  return new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone: timezone }).format(new Date(at));
}
