import type { ReactNode } from "react";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Dialog, DialogActions } from "../ui/Dialog.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";
import { NoAccounts } from "./NoAccounts.tsx";
import { getDialogTitle, PublishDialog } from "./PublishDialog.tsx";
import { useAccounts, type Account } from "./use-accounts.ts";
import { useCurrentPost } from "./use-current-post.ts";

interface SchedulePostDialogProps {
  postId: string;
  /** The revision that the page shows; by default the current one. */
  revision?: number;
  /** Whether the dialog starts with a time instead of with publishing now; true by default. */
  isScheduling?: boolean;
  /** Whether the dialog starts with asking for approval, although the user may publish without it. */
  asksForApproval?: boolean;
  /** The time that the user chose, in the studio's time zone: `2026-11-15T09:30`. */
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
    query: { data, error, refetch, isFetchedAfterMount },
  } = useCurrentPost(props.postId);
  if (post) return <LoadedDialog {...props} post={post} />;
  if (!error || !isFetchedAfterMount) return null;
  return (
    <MessageDialog {...props} postTitle={data?.title}>
      <ErrorMessage error={error} onRetry={() => void refetch()} />
    </MessageDialog>
  );
}

function LoadedDialog(props: SchedulePostDialogProps & { post: Post }) {
  const { post, revision, isScheduling = true, asksForApproval = false, localTime, initialIds, onClose } = props;
  const { studio } = useStudio();
  const { accounts, query } = useAccounts(post);
  if (!query.data) return null;
  if (post.status === "archived")
    return (
      <MessageDialog
        {...props}
        postTitle={post.title}
        action={
          <ButtonLink
            to="/studios/$studioId/posts/$postId"
            params={{ studioId: studio.id, postId: post.id }}
            search={localTime === undefined ? {} : { at: localTime }}
          >
            Open post
          </ButtonLink>
        }
      >
        <p className="m-0">Archived posts can’t be published. Open the post and restore it as a draft first.</p>
      </MessageDialog>
    );
  if (accounts.length === 0)
    return (
      <MessageDialog {...props} postTitle={post.title}>
        <NoAccounts postId={post.id} intendedTime={localTime} />
      </MessageDialog>
    );
  return (
    <PublishDialog
      post={post}
      isScheduling={isScheduling}
      asksForApproval={asksForApproval}
      {...(localTime === undefined ? {} : { initialLocalTime: localTime })}
      {...(revision === undefined ? {} : { shownRevision: revision })}
      initialIds={initialIds ?? listDefaultAccountIds(post, accounts)}
      onClose={onClose}
    />
  );
}

function MessageDialog({
  isScheduling = true,
  asksForApproval = false,
  postTitle,
  onClose,
  action,
  children,
}: SchedulePostDialogProps & { postTitle?: string | undefined; action?: ReactNode; children: ReactNode }) {
  const { studio } = useStudio();
  const needsApproval = asksForApproval || !mayPublishWithoutApproval(studio);
  return (
    <Dialog title={getDialogTitle(needsApproval, isScheduling)} subtitle={postTitle} onClose={onClose}>
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
 * The accounts for which the post has a text or a publication, or all accounts if it has neither. Leaves out those
 * that can't be selected now or that the post is already published to, so that it is not published twice.
 */
function listDefaultAccountIds({ variants, publications = [] }: Post, accounts: readonly Account[]): readonly string[] {
  // A choice of files only makes the post fit the account.
  const texts = variants.filter(({ body }) => body !== undefined);
  const relatedIds = new Set([...texts, ...publications].map(({ connectionId }) => connectionId));
  return accounts
    .filter(({ canPublish, publishedAt }) => canPublish && publishedAt === undefined)
    .map(({ connectionId }) => connectionId)
    .filter((id) => relatedIds.size === 0 || relatedIds.has(id));
}
