import { createContext, lazy, Suspense, use, useState, type ReactNode } from "react";
import { useCopyLink } from "./use-copy-link.tsx";

const SchedulePostDialog = lazy(async () => ({
  default: (await import("../publishing/SchedulePostDialog.tsx")).SchedulePostDialog,
}));

interface PostDialogs {
  copyLink: (url: string) => Promise<void>;
  schedule: (postId: string) => void;
}

const PostDialogsContext = createContext<PostDialogs>({ copyLink: async () => {}, schedule: () => {} });

/** Opens the dialogs of the closest `PostDialogsProvider`. */
export const usePostDialogs = (): PostDialogs => use(PostDialogsContext);

/**
 * The dialogs of the menus in a list of posts. They are not part of a row, which is unmounted when it scrolls out of
 * view, nor of a card, which is dragged by a press in it.
 */
export function PostDialogsProvider({ children }: { children: ReactNode }) {
  const { copyLink, linkDialog } = useCopyLink();
  const [scheduledPostId, setScheduledPostId] = useState<string>();
  return (
    <PostDialogsContext value={{ copyLink, schedule: setScheduledPostId }}>
      {children}
      {scheduledPostId !== undefined && (
        <Suspense>
          <SchedulePostDialog postId={scheduledPostId} onClose={() => setScheduledPostId(undefined)} />
        </Suspense>
      )}
      {linkDialog}
    </PostDialogsContext>
  );
}
