import { CalendarClock, Send, UserCheck } from "lucide-react";
import { useStudio } from "../layout/use-studio.ts";
import { askLabel } from "../posts/next-action.ts";
import { Button } from "../ui/Button.tsx";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";

/** What the dialog is opened for. There, the user can still switch between now and a time. */
export type PublishMode = "publish" | "schedule" | "ask";

/** The ways to publish a post, except those that another button on the page is for. */
export function PublishButtons({
  rowMode,
  isNextAction,
  hasIntendedTime,
  onPublish,
}: {
  /** What the button in the row of the only available account is for, if there is one. */
  rowMode: PublishMode | undefined;
  /** Whether publishing has its own button at the top of the page. */
  isNextAction: boolean;
  /** Whether the time that the post is intended for has its own button. */
  hasIntendedTime: boolean;
  onPublish: (mode: PublishMode) => void;
}) {
  const { studio } = useStudio();
  const isPublisher = mayPublishWithoutApproval(studio);
  return (
    <div className="flex flex-wrap gap-2">
      {!isNextAction && (isPublisher ? rowMode !== "publish" : rowMode === undefined) && (
        <Button variant="secondary" size="small" icon={Send} onClick={() => onPublish("publish")}>
          {isPublisher ? "Publish…" : askLabel}
        </Button>
      )}
      {/* Users who ask for approval choose the time in the same dialog. */}
      {isPublisher && !hasIntendedTime && (
        <Button variant="secondary" size="small" icon={CalendarClock} onClick={() => onPublish("schedule")}>
          Schedule…
        </Button>
      )}
      {/* Owners and admins rarely ask, so for them it is only in the menu. */}
      {isPublisher && studio.role === "member" && rowMode !== "ask" && (
        <Button variant="secondary" size="small" icon={UserCheck} onClick={() => onPublish("ask")}>
          {askLabel}
        </Button>
      )}
    </div>
  );
}
