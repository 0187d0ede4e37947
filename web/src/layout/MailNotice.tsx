import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { describeMailError, mailSettingsQuery } from "../api/mail-queries.ts";
import { Notice } from "../ui/Notice.tsx";
import { useStudio } from "./use-studio.ts";

/** Tells owners that no emails are sent. */
export function MailNotice() {
  const { studio } = useStudio();
  const { data } = useQuery(mailSettingsQuery(studio.id));
  if (!data?.failure) return null;
  return (
    <div className="max-w-[59rem]">
      <Notice
        isCompact
        tone="warning"
        action={
          <Link to="/studios/$studioId/settings" params={{ studioId: studio.id }} hash="email">
            Show details
          </Link>
        }
      >
        Emails are not sent. {describeMailError(data.failure.reason)}
      </Notice>
    </div>
  );
}
