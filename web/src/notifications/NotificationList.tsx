import { Link, linkOptions } from "@tanstack/react-router";
import { AtSign, Bot, CircleAlert, Inbox, ListChecks, MessageSquare, Plug, Undo2, type LucideIcon } from "lucide-react";
import { notificationsQuery, type Notification } from "../api/notification-queries.ts";
import { readAllNotifications, readNotifications } from "../api/mutations.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { PagedList } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useAction } from "../ui/use-action.ts";
import { groupNotifications, type NotificationGroup } from "./group-notifications.ts";

const icons: Record<Notification["type"], LucideIcon> = {
  approval: ListChecks,
  failure: CircleAlert,
  account: Plug,
  comment: MessageSquare,
  mention: AtSign,
  review: Undo2,
  client: Bot,
};

const toFollowingTime = (time: string): string => new Date(Date.parse(time) + 1).toISOString();

/** The content of the inbox. `onOpen` closes it. */
export function NotificationList({ unread, onOpen }: { unread: number; onOpen: () => void }) {
  const { studio } = useStudio();
  const list = usePagedList(notificationsQuery(studio.id));
  const newest = list.items[0];
  const { isRunning, error, run } = useAction();
  return (
    <>
      <div className="flex min-h-12 items-center justify-between gap-2 border-b border-rule px-4">
        <h2 className="m-0 text-base">Notifications</h2>
        {unread > 0 && newest && (
          <Button
            variant="quiet"
            size="small"
            busyLabel={isRunning && "Marking…"}
            onClick={() => void run(() => readAllNotifications({ studioId: studio.id }, toFollowingTime(newest.at)))}
          >
            Mark all as read
          </Button>
        )}
      </div>
      <div className="px-2 pb-2">
        {error !== undefined && <ErrorMessage error={error} />}
        <PagedList
          list={list}
          empty={
            <EmptyState icon={Inbox} title="No notifications">
              Approvals that wait for you, failed publications and comments on your posts appear here.
            </EmptyState>
          }
        >
          {(notifications) => (
            <ul aria-label="Notifications">
              {groupNotifications(notifications).map((group) => (
                <NotificationEntry key={group[0].id} group={group} onOpen={onOpen} />
              ))}
            </ul>
          )}
        </PagedList>
      </div>
    </>
  );
}

function NotificationEntry({ group, onOpen }: { group: NotificationGroup; onOpen: () => void }) {
  const { studio } = useStudio();
  const [{ type, text, at, readAt }, ...others] = group;
  const Icon = icons[type];
  const handleOpen = (): void => {
    onOpen();
    if (readAt === null)
      void readNotifications(
        { studioId: studio.id },
        group.map(({ id }) => id),
      ).catch(() => {});
  };
  return (
    <li className="border-b border-rule last:border-b-0">
      <Link
        {...getTarget(group)}
        onClick={handleOpen}
        className="grid min-h-11 grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 rounded-md px-2 py-2.5 text-ink no-underline hover:bg-hover"
      >
        <Icon size={18} strokeWidth={1.75} className="mt-0.5 text-muted" aria-hidden="true" />
        <span className="[overflow-wrap:anywhere]">
          <span className={`line-clamp-3 ${readAt === null ? "font-medium" : "text-muted"}`}>
            {readAt === null && <span className="sr-only">Unread: </span>}
            {text}
          </span>
          <span className="block text-sm text-muted">
            {others.length > 0 && `and ${others.length} more like this, `}
            <RelativeTime at={at} />
          </span>
        </span>
        {readAt === null && (
          <span className="mt-1.5 size-2 rounded-full bg-accent forced-colors:border" aria-hidden="true" />
        )}
      </Link>
    </li>
  );
}

/** The page about the notification; for several, the page that lists what they are about. */
function getTarget([{ type, studioId, postId, publicationId }, ...others]: NotificationGroup) {
  const params = { studioId };
  if (type === "account") return linkOptions({ to: "/studios/$studioId/platforms", params });
  if (type === "client") return linkOptions({ to: "/studios/$studioId/clients", params });
  if (type === "approval" && others.length > 0)
    return linkOptions({ to: "/studios/$studioId/publications/approvals", params });
  if (publicationId !== null)
    return linkOptions({ to: "/studios/$studioId/publications/$publicationId", params: { studioId, publicationId } });
  if (postId !== null)
    return linkOptions({
      to: "/studios/$studioId/posts/$postId",
      params: { studioId, postId },
      search: { panel: "comments" },
    });
  return linkOptions({ to: "/studios/$studioId/settings/webhooks", params });
}
