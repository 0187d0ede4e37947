import type { ReactNode } from "react";
import type { PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { postStatuses, type PostPanel } from "../search-params.ts";
import { IconBadge } from "../ui/IconBadge.tsx";
import { mediumScreenQuery } from "../ui/breakpoints.ts";
import { useMediaQuery } from "../ui/use-media-query.ts";
import { describeOpenPostState, describeStatus } from "./describe-post-state.ts";
import type { NextAction } from "./next-action.ts";
import { NextActionButton } from "./NextActionButton.tsx";
import { OpenPostMenu } from "./OpenPostMenu.tsx";
import { PostPagerButtons, type PressedPagerButton } from "./PostPagerButtons.tsx";
import { PhoneMenuItems, PostPanelButtons } from "./PostPanelButtons.tsx";
import { PostsBackLink } from "./PostsBackLink.tsx";
import { SaveStatus } from "./SaveStatus.tsx";
import { statusColors, statusIcons, statusLabels } from "./status-labels.ts";
import type { EditorController } from "./use-editor.ts";
import { usePostPager, type PostPager } from "./use-post-pager.ts";
import { useSetStatus } from "./use-set-status.ts";

interface PostHeaderProps {
  editor: EditorController;
  pressedPagerButtonRef: PressedPagerButton;
  nextAction: NextAction | undefined;
  /** Undefined while it loads. */
  openThreadCount: number | undefined;
  openPanel: PostPanel | undefined;
  onTogglePanel: (panel: PostPanel) => void;
  onPublish: () => void;
  onAskForApproval: (() => void) | undefined;
}

/** Where panels are beside the page, its line continues to them, over the page's margins. */
const besidePanelClasses =
  "min-[75rem]:-mx-[clamp(1.5rem,3vw,2.5rem)] min-[75rem]:px-[clamp(1.5rem,3vw,2.5rem)] min-[75rem]:after:inset-x-0";

/**
 * State and next action of the post, which stay in view. On narrow screens, the rest scrolls away, and is also in the
 * menu. On wider ones, all of it is in one row. The status of a post with publications is in the menu.
 */
export function PostHeader({
  editor,
  pressedPagerButtonRef,
  openThreadCount,
  openPanel,
  onTogglePanel,
  ...rest
}: PostHeaderProps) {
  const isWide = useMediaQuery(mediumScreenQuery);
  const isExtraWide = useMediaQuery("(min-width: 72rem)");
  // Otherwise, the pager is in the menu.
  const hasPagerButtons = isExtraWide && openPanel === undefined;
  const pager = usePostPager(editor);
  const panelButtons = (
    <PostPanelButtons openThreadCount={openThreadCount} openPanel={openPanel} onTogglePanel={onTogglePanel} />
  );
  const backLink = <PostsBackLink />;
  const saveStatus = <SaveStatus editor={editor} />;
  return (
    <>
      {!isWide && (
        <div className="flex items-center gap-3">
          {backLink}
          {saveStatus}
          {panelButtons}
        </div>
      )}
      <div
        className={`sticky top-notice z-5 -mx-2 mb-5 flex items-center gap-x-3 bg-paper px-2 py-2 after:absolute after:inset-x-2 after:bottom-0 after:border-b after:border-rule max-md:top-[3.3125rem] md:-mt-4 ${openPanel === undefined ? "" : besidePanelClasses}`}
      >
        {isWide && backLink}
        <Actions
          editor={editor}
          menuPager={hasPagerButtons ? undefined : pager}
          pagerButtons={
            hasPagerButtons && <PostPagerButtons pager={pager} pressedPagerButtonRef={pressedPagerButtonRef} />
          }
          saveStatus={isWide && saveStatus}
          panelButtons={isWide && panelButtons}
          phoneItems={!isWide && <PhoneMenuItems openThreadCount={openThreadCount} onTogglePanel={onTogglePanel} />}
          {...rest}
        />
      </div>
    </>
  );
}

function Actions({
  editor,
  nextAction,
  onPublish,
  onAskForApproval,
  menuPager,
  pagerButtons,
  saveStatus,
  panelButtons,
  phoneItems,
}: Pick<PostHeaderProps, "editor" | "nextAction" | "onPublish" | "onAskForApproval"> & {
  menuPager: PostPager | undefined;
  pagerButtons: ReactNode;
  saveStatus: ReactNode;
  panelButtons: ReactNode;
  phoneItems: ReactNode;
}) {
  const { may } = useStudio();
  const setStatus = useSetStatus(editor);
  const { status } = editor.post;
  const state = describeOpenPostState(editor.post);
  return (
    <>
      {state === undefined && may("posts.write") ? (
        <StatusSelect status={status} onChange={(next) => void setStatus(next)} />
      ) : (
        <span className="grid font-medium">
          <IconBadge
            {...(state ?? describeStatus(status))}
            // The longest label wraps to two lines, so that the header has one row beside every next action.
            labelClassName="@max-2xl:leading-4 @max-2xl:whitespace-normal"
          />
        </span>
      )}
      {saveStatus}
      <div className="ml-auto flex flex-none items-center gap-2">
        {/* First, because they appear when the list has loaded, and must not move the others. */}
        {pagerButtons}
        {panelButtons}
        <OpenPostMenu
          editor={editor}
          pager={menuPager}
          phoneItems={phoneItems}
          onAskForApproval={onAskForApproval}
          onSetStatus={setStatus}
        />
        {nextAction && (
          <NextActionButton
            postId={editor.post.id}
            action={nextAction}
            isPrimary={!editor.hasConflict}
            onPublish={onPublish}
            onSetStatus={setStatus}
          />
        )}
      </div>
    </>
  );
}

function StatusSelect({ status, onChange }: { status: PostStatus; onChange: (status: PostStatus) => void }) {
  const Icon = statusIcons[status];
  return (
    <span className="relative min-w-0">
      <span
        className={`pointer-events-none absolute inset-y-0 left-2.5 grid place-items-center ${statusColors[status]}`}
      >
        <Icon size={16} aria-hidden="true" />
      </span>
      <select
        className="w-auto max-w-full rounded-full border-rule py-1 pl-8 font-medium"
        aria-label="Status"
        value={status}
        onChange={(event) => onChange(event.target.value as PostStatus)}
      >
        {postStatuses.map((option) => (
          <option key={option} value={option}>
            {statusLabels[option].singular}
          </option>
        ))}
      </select>
    </span>
  );
}
