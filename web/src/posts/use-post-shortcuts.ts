import { CalendarClock, History, MessageSquare, Save, Send } from "lucide-react";
import { useStudio } from "../layout/use-studio.ts";
import { mayPublishWithoutApproval } from "../publishing/may-publish-without-approval.ts";
import type { PublishMode } from "../publishing/PublishButtons.tsx";
import type { PostPanel } from "../search-params.ts";
import { useShortcut } from "../ui/use-shortcut.ts";
import { askLabel } from "./next-action.ts";

/** The shortcuts of the editor. The help sheet and the command palette list them. */
export function usePostShortcuts({
  canPublish,
  onSave,
  onTogglePanel,
  onPublish,
}: {
  canPublish: boolean;
  onSave: () => void;
  onTogglePanel: (panel: PostPanel) => void;
  onPublish: (mode: PublishMode) => void;
}): void {
  const { studio } = useStudio();
  const isPublisher = mayPublishWithoutApproval(studio);
  const group = "Post";
  useShortcut({ keys: "mod+s", label: "Save the post", group, icon: Save, run: onSave });
  useShortcut({ keys: "c", label: "Comments", group, icon: MessageSquare, run: () => onTogglePanel("comments") });
  useShortcut({ keys: "h", label: "History", group, icon: History, run: () => onTogglePanel("history") });
  useShortcut({
    keys: "p",
    label: isPublisher ? "Publish…" : askLabel,
    group,
    icon: Send,
    isEnabled: canPublish,
    run: () => onPublish("publish"),
  });
  useShortcut({
    keys: "s",
    label: "Schedule…",
    group,
    icon: CalendarClock,
    isEnabled: canPublish && isPublisher,
    run: () => onPublish("schedule"),
  });
}
