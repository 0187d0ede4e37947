import { useInfiniteQuery } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { notificationsQuery, selectUnread } from "../api/notification-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { useShortcut } from "../ui/use-shortcut.ts";

// Only when it is opened, because the code of popovers is large.
const Inbox = lazy(async () => ({ default: (await import("./Inbox.tsx")).Inbox }));

/** Opens the inbox, and shows how many notifications are unread. */
export function InboxBell({ className }: { className: string }) {
  const { studio } = useStudio();
  const { data: unread = 0 } = useInfiniteQuery({ ...notificationsQuery(studio.id), select: selectUnread });
  /** Undefined until it is opened for the first time. */
  const [isOpen, setIsOpen] = useState<boolean>();
  useShortcut({ keys: "g n", label: "Notifications", group: "Go to", icon: Bell, run: () => setIsOpen(true) });
  const trigger = (
    <IconButton
      icon={Bell}
      label={unread === 0 ? "Notifications" : `Notifications, ${unread} unread`}
      shortcut="g n"
      aria-haspopup="dialog"
      className={className}
      {...(isOpen === undefined ? { onClick: () => setIsOpen(true) } : {})}
    />
  );
  return (
    <span className="relative flex flex-none">
      {isOpen === undefined ? (
        trigger
      ) : (
        <Suspense fallback={trigger}>
          <Inbox isOpen={isOpen} onOpenChange={setIsOpen} unread={unread} trigger={trigger} />
        </Suspense>
      )}
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
