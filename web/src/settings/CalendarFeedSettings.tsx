import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createCalendarFeed, revokeCalendarFeed } from "../api/mutations.ts";
import { calendarFeedsQuery } from "../api/planning-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { formatTime } from "../ui/format-time.ts";
import { Section } from "../ui/Section.tsx";
import { useAction } from "../ui/use-action.ts";

/** The user's own secret URL, which is shown only when it is created. */
export function CalendarFeedSettings() {
  const { studio } = useStudio();
  const { data } = useQuery(calendarFeedsQuery(studio.id));
  const { isRunning, error, run } = useAction();
  const [url, setUrl] = useState<string>();
  const feed = data?.calendarFeeds[0];

  return (
    <Section title="Calendar feed">
      <p className="mt-0 mb-4 max-w-[38rem] text-muted">
        See planned and published posts in Google Calendar, Outlook or Apple Calendar. Subscribe there to your own
        secret URL, and don’t share it.
      </p>
      {url !== undefined && <CopyField label="Calendar URL. It is shown only once." text={url} isPrimary />}
      {feed && url === undefined && (
        <p>You created your URL on {formatTime(feed.createdAt, studio.timezone)}. A new one replaces it.</p>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
      <p className="mt-4 flex flex-wrap gap-2">
        <Button
          variant="secondary"
          busyLabel={isRunning && "Saving…"}
          onClick={() => void run(async () => setUrl((await createCalendarFeed({ studioId: studio.id })).url))}
        >
          {feed ? "Replace URL" : "Create URL"}
        </Button>
        {feed && (
          <Button
            variant="quiet"
            disabled={isRunning}
            onClick={() =>
              void run(async () => {
                await revokeCalendarFeed({ studioId: studio.id });
                setUrl(undefined);
              })
            }
          >
            Revoke URL
          </Button>
        )}
      </p>
    </Section>
  );
}
