import { useQuery } from "@tanstack/react-query";
import { CalendarClock } from "lucide-react";
import { useMemo, useState } from "react";
import type { VisibleState } from "../api/publication-queries.ts";
import { calendarQuery } from "../api/summary-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Agenda } from "../posts/calendar/Agenda.tsx";
import { EntryDialog } from "../posts/calendar/EntryDialog.tsx";
import { groupEntries, type EntryGroup } from "../posts/calendar/group-entries.ts";
import { useReschedule } from "../posts/calendar/use-reschedule.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { useNow } from "../ui/use-now.ts";
import { PublicationTabs } from "./PublicationTabs.tsx";
import { addDays, getEndOfDay, getStartOfDay, toLocalTime } from "#portable/zoned-time.ts";

/** The API accepts ranges of up to 62 days. */
const dayCount = 60;

const upcomingStates: readonly VisibleState[] = ["proposed", "scheduled", "publishing"];

/** The publications of the next days, including those that wait for approval, day by day. */
export function UpcomingPage() {
  const { studio } = useStudio();
  const { timezone } = studio;
  const today = useNow((now) => toLocalTime(now, timezone).slice(0, 10));
  const calendar = useQuery(
    calendarQuery(
      studio.id,
      {
        from: new Date(getStartOfDay(today, timezone)).toISOString(),
        to: new Date(getEndOfDay(addDays(today, dayCount - 1), timezone)).toISOString(),
      },
      {},
    ),
  );
  const groups = useMemo(() => {
    const entries = calendar.data?.entries ?? [];
    return groupEntries(
      entries.filter(({ state }) => upcomingStates.includes(state)),
      timezone,
    );
  }, [calendar.data, timezone]);
  const reschedule = useReschedule();
  const [openedGroup, setOpenedGroup] = useState<EntryGroup>();
  return (
    <>
      <PageHeader title="Upcoming">
        What goes out in the next {dayCount} days. Times are in the studio’s time zone ({timezone}).
      </PageHeader>
      <PublicationTabs current="upcoming" />
      <QueryStatus query={calendar} />
      {groups.length > 0 && (
        <>
          <h2 className="sr-only">Planned publications</h2>
          <Agenda groups={groups} today={today} onOpen={setOpenedGroup} />
          <p className="mt-6 text-sm text-muted">Later publications and requests without a time are on the All tab.</p>
        </>
      )}
      {calendar.isSuccess && groups.length === 0 && (
        <EmptyState
          icon={CalendarClock}
          title="Nothing is planned"
          actions={
            <ButtonLink
              variant="secondary"
              to="/studios/$studioId/posts"
              params={{ studioId: studio.id }}
              search={{ view: "calendar" }}
            >
              Open the calendar
            </ButtonLink>
          }
        >
          Schedule a post to see it here. Requests without a time are on the All tab.
        </EmptyState>
      )}
      {openedGroup && (
        <EntryDialog group={openedGroup} onReschedule={reschedule} onClose={() => setOpenedGroup(undefined)} />
      )}
    </>
  );
}
