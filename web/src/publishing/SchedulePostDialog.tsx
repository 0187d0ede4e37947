import type { ReactNode } from "react";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Dialog, DialogActions } from "../ui/Dialog.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { NoAccounts } from "./NoAccounts.tsx";
import { PublishDialog } from "./PublishDialog.tsx";
import { useAccounts, type Account } from "./use-accounts.ts";
import { useCurrentPost } from "./use-current-post.ts";

interface SchedulePostDialogProps {
  postId: string;
  /** Whether the dialog starts with a time instead of with publishing now; true by default. */
  isScheduling?: boolean;
  /** In the studio's time zone: `2026-11-15T09:30`. */
  localTime?: string;
  /** The accounts that are selected when the dialog opens; by default those of `listDefaultAccountIds`. */
  initialIds?: readonly string[];
  onClose: () => void;
}

/** Schedules or publishes a post that is not open in the editor. Loads the post first and preselects accounts. */
export function SchedulePostDialog(props: SchedulePostDialogProps) {
  // The cached post may not say that the post is already published to accounts, which would then be chosen again.
  const {
    post,
    query: { error, refetch, isFetchedAfterMount },
  } = useCurrentPost(props.postId);
  if (post) return <LoadedDialog {...props} post={post} />;
  if (!error || !isFetchedAfterMount) return null;
  return (
    <MessageDialog {...props}>
      <ErrorMessage error={error} onRetry={() => void refetch()} />
    </MessageDialog>
  );
}

function LoadedDialog(props: SchedulePostDialogProps & { post: Post }) {
  const { post, isScheduling = true, localTime, initialIds, onClose } = props;
  const { studio } = useStudio();
  const { accounts, isLoaded } = useAccounts(post);
  if (!isLoaded) return null;
  if (post.status === "archived")
    return (
      <MessageDialog
        {...props}
        action={
          <ButtonLink to="/studios/$studioId/posts/$postId" params={{ studioId: studio.id, postId: post.id }}>
            Open post
          </ButtonLink>
        }
      >
        <p className="m-0">Archived posts can’t be published. Open the post and restore it as a draft first.</p>
      </MessageDialog>
    );
  if (accounts.length === 0)
    return (
      <MessageDialog {...props}>
        <NoAccounts />
      </MessageDialog>
    );
  return (
    <PublishDialog
      post={post}
      isScheduling={isScheduling}
      {...(localTime === undefined ? {} : { initialLocalTime: localTime })}
      initialIds={initialIds ?? listDefaultAccountIds(post, accounts)}
      onClose={onClose}
    />
  );
}

function MessageDialog({
  isScheduling = true,
  onClose,
  action,
  children,
}: SchedulePostDialogProps & { action?: ReactNode; children: ReactNode }) {
  return (
    <Dialog title={isScheduling ? "Schedule post" : "Publish post"} onClose={onClose}>
      <div className="mt-3">{children}</div>
      <DialogActions>
        <Button variant={action === undefined ? "primary" : "secondary"} onClick={onClose}>
          Close
        </Button>
        {action}
      </DialogActions>
    </Dialog>
  );
}

/**
 * The accounts for which the post has a variant or a publication, or all accounts if it has neither. Leaves out those
 * that can't be selected now or that the post is already published to, so that it is not published twice.
 */
function listDefaultAccountIds({ variants, publications = [] }: Post, accounts: readonly Account[]): readonly string[] {
  const relatedIds = new Set([...variants, ...publications].map(({ connectionId }) => connectionId));
  return accounts
    .filter(({ canPublish, publishedAt }) => canPublish && publishedAt === undefined)
    .map(({ connectionId }) => connectionId)
    .filter((id) => relatedIds.size === 0 || relatedIds.has(id));
}
