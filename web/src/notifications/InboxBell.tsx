import { useInfiniteQuery } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import { useState } from "react";
import { notificationsQuery, selectUnread } from "../api/notification-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { Popover } from "../ui/Popover.tsx";
import { useShortcut } from "../ui/use-shortcut.ts";
import { NotificationList } from "./NotificationList.tsx";

/** Opens the inbox, and shows how many notifications are unread. */
export function InboxBell({ className }: { className: string }) {
  const { studio } = useStudio();
  const { data: unread = 0 } = useInfiniteQuery({ ...notificationsQuery(studio.id), select: selectUnread });
  const [isOpen, setIsOpen] = useState(false);
  useShortcut({ keys: "g n", label: "Notifications", group: "Go to", icon: Bell, run: () => setIsOpen(true) });
  return (
    <span className="relative flex flex-none">
      <Popover
        label="Notifications"
        align="end"
        isOpen={isOpen}
        onOpenChange={setIsOpen}
        className="w-[min(26rem,calc(100vw-1rem))]"
        trigger={
          <IconButton
            icon={Bell}
            label={unread === 0 ? "Notifications" : `Notifications, ${unread} unread`}
            shortcut="g n"
            className={className}
          />
        }
      >
        <NotificationList unread={unread} onOpen={() => setIsOpen(false)} />
      </Popover>
      {unread > 0 && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-0 right-0 min-w-4.5 rounded-full bg-accent px-1 text-center text-xs/4.5 font-semibold text-accent-ink forced-colors:border"
        >
          {unread > 99 ? "99+" : unread}
        </span>
      )}
    </span>
  );
}
