import type { ReactElement } from "react";
import { Popover } from "../ui/Popover.tsx";
import { NotificationList } from "./NotificationList.tsx";

/** The list of notifications, beside the button that opens it. */
export function Inbox({
  isOpen,
  onOpenChange,
  unread,
  trigger,
}: {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  unread: number;
  trigger: ReactElement;
}) {
  return (
    <Popover
      label="Notifications"
      align="end"
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      className="w-[min(26rem,calc(100vw-1rem))]"
      trigger={trigger}
    >
      <NotificationList unread={unread} onOpen={() => onOpenChange(false)} />
    </Popover>
  );
}
