import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { activityQuery } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Empty } from "../ui/Empty.tsx";
import { Failure } from "../ui/Failure.tsx";
import { PageHead } from "../ui/PageHead.tsx";
import { Waiting } from "../ui/Waiting.tsx";
import { ActivityFilters } from "./ActivityFilters.tsx";
import { ActivityRow } from "./ActivityRow.tsx";

const route = getRouteApi("/studios/$studioId/activity");

export function ActivityPage() {
  const { studio } = useStudio();
  const filter = route.useSearch();
  const activity = useInfiniteQuery(activityQuery(studio.id, filter));
  const rows = activity.data?.pages.flatMap((page) => page.activity) ?? [];
  const days = Map.groupBy(rows, ({ at }) => dayOf(at, studio.timezone));

  return (
    <>
      <PageHead title="Activity">Who did what in {studio.name}, by hand or through an assistant.</PageHead>
      <ActivityFilters filter={filter} />
      {activity.isPending && <Waiting />}
      {activity.isError && <Failure error={activity.error} onRetry={() => void activity.refetch()} />}
      {[...days].map(([day, ofDay]) => (
        <section key={day} className="day" aria-label={day}>
          <h2 className="day-name">{day}</h2>
          <ul className="plain">
            {ofDay.map((row) => (
              <ActivityRow key={row.id} row={row} />
            ))}
          </ul>
        </section>
      ))}
      {activity.isSuccess && rows.length === 0 && (
        <Empty title="Nothing found">
          <p className="text-muted">Nobody did this here, as far as the studio’s memory goes.</p>
          <p>
            <Link to="/studios/$studioId/activity" params={{ studioId: studio.id }}>
              Show everything
            </Link>
          </p>
        </Empty>
      )}
      {activity.hasNextPage && (
        <p className="mt-8">
          <Button
            look="quiet"
            onClick={() => void activity.fetchNextPage()}
            busy={activity.isFetchingNextPage && "Loading…"}
          >
            Show earlier
          </Button>
        </p>
      )}
    </>
  );
}

function dayOf(at: string, timezone: string): string {
  return new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone: timezone }).format(new Date(at));
}
