import { createContext, lazy, Suspense, use, useMemo, useState, type ReactNode } from "react";
import type { PostSummary } from "../api/summary-queries.ts";
import { useCopyLink } from "./use-copy-link.tsx";

const SchedulePostDialog = lazy(async () => ({
  default: (await import("../publishing/SchedulePostDialog.tsx")).SchedulePostDialog,
}));

const ReschedulePostDialog = lazy(async () => ({
  default: (await import("./ReschedulePostDialog.tsx")).ReschedulePostDialog,
}));

interface PostDialogs {
  copyLink: (url: string) => Promise<void>;
  schedule: (post: PostSummary) => void;
  askForApproval: (post: PostSummary) => void;
  /** For a post whose planned publications have the same time. */
  reschedule: (post: PostSummary) => void;
}

const PostDialogsContext = createContext<PostDialogs>({
  copyLink: async () => {},
  schedule: () => {},
  askForApproval: () => {},
  reschedule: () => {},
});

/** Opens the dialogs of the closest `PostDialogsProvider`. */
export const usePostDialogs = (): PostDialogs => use(PostDialogsContext);

/**
 * The dialogs of the menus in a list of posts. They are outside of the rows and cards, because a row is unmounted when
 * it scrolls out of view, and a press inside a card would drag it.
 */
export function PostDialogsProvider({ children }: { children: ReactNode }) {
  const { copyLink, linkDialog } = useCopyLink();
  const [plan, setPlan] = useState<{ postId: string; revision: number; asksForApproval: boolean }>();
  const [postToReschedule, setPostToReschedule] = useState<PostSummary>();
  const dialogs = useMemo(
    () => ({
      copyLink,
      schedule: ({ id, revision }: PostSummary) => setPlan({ postId: id, revision, asksForApproval: false }),
      askForApproval: ({ id, revision }: PostSummary) => setPlan({ postId: id, revision, asksForApproval: true }),
      reschedule: setPostToReschedule,
    }),
    [copyLink],
  );
  return (
    <PostDialogsContext value={dialogs}>
      {children}
      {plan && (
        <Suspense>
          <SchedulePostDialog {...plan} isScheduling={!plan.asksForApproval} onClose={() => setPlan(undefined)} />
        </Suspense>
      )}
      {postToReschedule && (
        <Suspense>
          <ReschedulePostDialog post={postToReschedule} onClose={() => setPostToReschedule(undefined)} />
        </Suspense>
      )}
      {linkDialog}
    </PostDialogsContext>
  );
}
