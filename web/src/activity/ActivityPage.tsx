import { getRouteApi } from "@tanstack/react-router";
import { Activity as ActivityIcon, SearchX } from "lucide-react";
import { activityQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { formatDate } from "../ui/format-time.ts";
import { PagedList } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { ActivityFilters } from "./ActivityFilters.tsx";
import { ActivityRow } from "./ActivityRow.tsx";
import { groupActivity } from "./group-activity.ts";

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
        icon={ActivityIcon}
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
        Your role in this studio is {studio.role}. To find out who changed a post, open it and look at its history.
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
            icon={SearchX}
            actions={
              <ButtonLink variant="secondary" to="/studios/$studioId/activity" params={{ studioId: studio.id }}>
                Clear filters
              </ButtonLink>
            }
          />
        }
      >
        {(entries) =>
          [...Map.groupBy(entries, ({ at }) => formatDay(at, studio.timezone))].map(([day, dayEntries]) => (
            <section key={day} className="mt-8 first:mt-0" aria-label={day}>
              <h2 className="mb-1 border-b border-rule pb-2 text-sm font-medium text-muted">{day}</h2>
              <ul>
                {groupActivity(dayEntries).map((group) => (
                  // Keyed by the oldest entry, so that an expanded group stays open when an entry is added.
                  <ActivityRow key={group.entries.at(-1)?.id ?? group.newest.id} group={group} />
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
  const day = formatDate(at, timezone);
  return day === formatDate(Date.now(), timezone) ? `Today, ${day}` : day;
}
