import { getRouteApi, Link } from "@tanstack/react-router";
import { activityQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { PagedList } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
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
      <EmptyState
        title="Only owners and admins can see activity"
        actions={
          <>
            <ButtonLink to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
              Go to posts
            </ButtonLink>
            <ButtonLink variant="secondary" to="/studios/$studioId/members" params={{ studioId: studio.id }}>
              See members
            </ButtonLink>
          </>
        }
      >
        Your role in this studio is {studio.role}. To find out who changed something, ask an owner or admin.
      </EmptyState>
    </>
  );
}

function StudioActivity() {
  const { studio } = useStudio();
  const filter = route.useSearch();
  const activity = usePagedList(activityQuery(studio.id, filter));

  return (
    <>
      <PageHeader title="Activity">Who did what in {studio.name}, directly or through an AI client.</PageHeader>
      <ActivityFilters filter={filter} />
      <PagedList
        list={activity}
        moreLabel="Show earlier"
        empty={
          <EmptyState
            title="No matching activity"
            actions={
              <Link to="/studios/$studioId/activity" params={{ studioId: studio.id }}>
                Clear filters
              </Link>
            }
          />
        }
      >
        {(rows) =>
          [...Map.groupBy(rows, ({ at }) => formatDay(at, studio.timezone))].map(([day, dayRows]) => (
            <section key={day} className="border-t border-rule py-6" aria-label={day}>
              <h2 className="mb-3">{day}</h2>
              <ul>
                {dayRows.map((row) => (
                  <ActivityRow key={row.id} row={row} />
                ))}
              </ul>
            </section>
          ))
        }
      </PagedList>
    </>
  );
}

function formatDay(at: string, timezone: string): string {
  return new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone: timezone }).format(new Date(at));
}
