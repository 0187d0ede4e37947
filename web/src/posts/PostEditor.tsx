import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useRef, useState } from "react";
import type { Post } from "../api/queries.ts";
import { useOpenThreadCount } from "../comments/use-comments.ts";
import { useStudio } from "../layout/use-studio.ts";
import { FileDetailsContext } from "../media/file-details.ts";
import { PostMedia, type FileDialog } from "../media/PostMedia.tsx";
import { mayPublishWithoutApproval } from "../publishing/may-publish-without-approval.ts";
import { PostPublishing } from "../publishing/PostPublishing.tsx";
import type { PublishMode } from "../publishing/PublishButtons.tsx";
import { doAllHaveOpenPublications, useAccounts } from "../publishing/use-accounts.ts";
import type { PostPanel } from "../search-params.ts";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Loading } from "../ui/Loading.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { SidePanel } from "../ui/SidePanel.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { ConflictResolver } from "./ConflictResolver.tsx";
import { describeOpenPostState } from "./describe-post-state.ts";
import { getNextAction } from "./next-action.ts";
import { ReviewLinks } from "../reviews/ReviewLinks.tsx";
import { PostDetails } from "./PostDetails.tsx";
import type { PressedPagerButton } from "./PostPagerButtons.tsx";
import { PostHeader } from "./PostHeader.tsx";
import { allAccountsTab, PostText } from "./PostText.tsx";
import { useEditor } from "./use-editor.ts";
import { useSaveOnLeave } from "./use-save-on-leave.ts";
import { useOpenPanel } from "./use-open-panel.ts";
import { usePostShortcuts } from "./use-post-shortcuts.ts";
import { useIntendedTime } from "./use-intended-time.ts";

const route = getRouteApi("/studios/$studioId/posts/$postId");

/** Loaded on demand, so that reading and editing do not wait for them. */
const CommentsPanel = lazy(async () => ({ default: (await import("../comments/CommentsPanel.tsx")).CommentsPanel }));
const HistoryPanel = lazy(async () => ({ default: (await import("../history/HistoryPanel.tsx")).HistoryPanel }));
const ReadyBanner = lazy(async () => ({ default: (await import("../history/ReadyBanner.tsx")).ReadyBanner }));
const PublishDialog = lazy(async () => ({ default: (await import("../publishing/PublishDialog.tsx")).PublishDialog }));

/** On a phone, the sections follow each other. On wider screens, they are cards in columns. */
const sectionClasses =
  "min-w-0 border-t border-rule pt-5 @2xl:rounded-lg @2xl:border @2xl:bg-raised @2xl:p-4 @2xl:pt-3";

export function PostEditor({
  post,
  isDeleted,
  pressedPagerButtonRef,
}: {
  post: Post;
  /** Whether the post is in the trash. `PostPage` then denies all actions on posts, files and publications. */
  isDeleted: boolean;
  pressedPagerButtonRef: PressedPagerButton;
}) {
  const { studio, me, may } = useStudio();
  const showToast = useToast();
  const reportMerge = useCallback(
    (authors: string) => showToast({ text: `Merged with changes by ${authors}.` }),
    [showToast],
  );
  const editor = useEditor(post, studio.id, reportMerge);
  useSaveOnLeave(editor);
  const { error, conflicts } = editor;
  const hasTextConflict = conflicts.some(({ field }) => field === "title" || field === "body");
  const { accounts, query: accountsQuery } = useAccounts(editor.post);
  const isPublisher = mayPublishWithoutApproval(studio);
  const nextAction = getNextAction(editor.post, accountsQuery.data && accounts, {
    userId: me.user.id,
    isPublisher,
    may,
  });
  const [tab, setTab] = useState(allAccountsTab);
  const [publishDialog, setPublishDialog] = useState<{ mode: PublishMode; connectionIds?: readonly string[] }>();
  const [fileDialog, setFileDialog] = useState<FileDialog>();
  const fileDetails = {
    assets: editor.post.assets,
    open: (assetId: string) => setFileDialog({ kind: "details", assetId }),
  };
  const [openPanel, setOpenPanel] = useOpenPanel();
  const navigate = route.useNavigate();
  const intendedTime = useIntendedTime(editor.post);
  const textColumn = useRef<HTMLDivElement>(null);
  const openThreadCount = useOpenThreadCount(post.id);
  const readyRevision = isDeleted ? undefined : findOutdatedReadyRevision(editor.post);
  useDocumentTitle(editor.title);
  const canPublish =
    accounts.length > 0 &&
    editor.post.status !== "archived" &&
    !doAllHaveOpenPublications(accounts) &&
    may("publications.request");
  usePostShortcuts({
    canPublish,
    onSave: () => void editor.save(),
    onTogglePanel: togglePanel,
    onPublish: openPublishDialog,
  });

  function togglePanel(panel: PostPanel): void {
    setOpenPanel(openPanel === panel ? undefined : panel);
  }

  function openPublishDialog(mode: PublishMode, connectionIds?: readonly string[]): void {
    void editor.save();
    setPublishDialog({ mode, ...(connectionIds && { connectionIds }) });
  }

  const clearIntendedTime = (): void =>
    void navigate({ search: ({ at: _, ...others }) => others, replace: true, resetScroll: false });

  function openAccount(connectionId: string): void {
    setTab(connectionId);
    textColumn.current?.scrollIntoView({ block: "nearest" });
    // The tab is selected after the next render. The focus alone could leave it behind a button of the strip.
    setTimeout(() => {
      const selectedTab = textColumn.current?.querySelector<HTMLElement>("[role=tab][aria-selected=true]");
      selectedTab?.focus();
      selectedTab?.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }

  return (
    <div className="@container" data-page-width="wide">
      <PostHeader
        editor={editor}
        pressedPagerButtonRef={pressedPagerButtonRef}
        nextAction={nextAction}
        openThreadCount={openThreadCount}
        openPanel={openPanel}
        onTogglePanel={togglePanel}
        onPublish={() =>
          nextAction?.kind === "askAgain"
            ? openPublishDialog("ask", nextAction.connectionIds)
            : openPublishDialog("publish")
        }
        onAskForApproval={canPublish && isPublisher ? () => openPublishDialog("ask") : undefined}
      />
      {error !== undefined && <ErrorMessage error={error} onRetry={() => void editor.save()} />}
      {hasTextConflict && <ConflictResolver editor={editor} />}
      {readyRevision !== undefined && (
        <Suspense>
          <ReadyBanner
            controller={editor}
            readyRevision={readyRevision}
            hasPublications={describeOpenPostState(editor.post) !== undefined}
          />
        </Suspense>
      )}
      <FileDetailsContext value={fileDetails}>
        <div className="grid grid-cols-1 items-start gap-x-6 gap-y-5 @4xl:grid-cols-[minmax(0,1fr)_minmax(19rem,24rem)]">
          <div className="grid min-w-0 grid-cols-1 gap-y-5">
            <div ref={textColumn} className="min-w-0 scroll-mt-32">
              <PostText editor={editor} accounts={accounts} tab={tab} onTabChange={setTab} />
            </div>
            <div className={sectionClasses}>
              <PostMedia
                post={editor.post}
                onChange={editor.accept}
                openDialog={fileDialog}
                onOpenDialog={setFileDialog}
              />
            </div>
          </div>
          <div className="grid min-w-0 grid-cols-1 items-start gap-x-6 gap-y-5 @2xl:grid-cols-2 @4xl:grid-cols-1">
            <div className={sectionClasses}>
              <PostPublishing
                editor={editor}
                isDeleted={isDeleted}
                accounts={accounts}
                accountsQuery={accountsQuery}
                nextAction={nextAction}
                intendedTime={intendedTime}
                onClearIntendedTime={clearIntendedTime}
                onPublish={openPublishDialog}
                onOpenAccount={openAccount}
              />
            </div>
            <div className={sectionClasses}>
              <PostDetails editor={editor} />
              <ReviewLinks post={editor.post} />
            </div>
          </div>
        </div>
      </FileDetailsContext>
      {openPanel === "comments" && (
        <SidePanel title="Comments" onClose={() => setOpenPanel(undefined)}>
          <Suspense fallback={<Loading />}>
            <CommentsPanel postId={post.id} />
          </Suspense>
        </SidePanel>
      )}
      {openPanel === "history" && (
        <SidePanel title="History" onClose={() => setOpenPanel(undefined)}>
          <Suspense fallback={<Loading />}>
            <HistoryPanel controller={editor} />
          </Suspense>
        </SidePanel>
      )}
      <Suspense>
        {publishDialog && (
          <PublishDialog
            post={editor.post}
            editor={editor}
            isScheduling={publishDialog.mode === "schedule"}
            asksForApproval={publishDialog.mode === "ask"}
            {...(intendedTime !== undefined && { initialLocalTime: intendedTime })}
            {...(publishDialog.connectionIds && { initialIds: publishDialog.connectionIds })}
            onClose={() => setPublishDialog(undefined)}
          />
        )}
      </Suspense>
    </div>
  );
}

/** The revision at which the post was marked ready, if the post has changed since then. */
const findOutdatedReadyRevision = ({ status, revision, readyRevision }: Post): number | undefined =>
  status === "ready" && readyRevision !== null && revision > readyRevision ? readyRevision : undefined;
