import { History, MessageSquare } from "lucide-react";
import type { ReactNode } from "react";
import type { PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { findMainState } from "../publishing/find-main-state.ts";
import { stateLabels } from "../publishing/publication-states.ts";
import { postStatuses, type PostPanel } from "../search-params.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { IconBadge } from "../ui/IconBadge.tsx";
import { useMediaQuery } from "../ui/use-media-query.ts";
import { stateColors, stateIcons } from "./AccountStates.tsx";
import type { NextAction } from "./next-action.ts";
import { OpenPostMenu } from "./OpenPostMenu.tsx";
import { PostPagerButtons, type PressedPagerButton } from "./PostPagerButtons.tsx";
import { PostsBackLink } from "./PostsBackLink.tsx";
import { SaveStatus } from "./SaveStatus.tsx";
import { statusColors, statusIcons, statusLabels } from "./status-labels.ts";
import type { EditorController } from "./use-editor.ts";
import { usePostPager, type PostPager } from "./use-post-pager.ts";
import { useSetStatus } from "./use-set-status.ts";

const panels = [
  { panel: "comments", label: "Comments", icon: MessageSquare },
  { panel: "history", label: "History", icon: History },
] as const;

interface PostHeaderProps {
  editor: EditorController;
  pressedPagerButton: PressedPagerButton;
  nextAction: NextAction | undefined;
  /** Undefined while it loads. */
  commentCount: number | undefined;
  openPanel: PostPanel | undefined;
  onTogglePanel: (panel: PostPanel) => void;
  onPublish: () => void;
}

/** Status and next action of the post, which stay in view. On narrow screens, the rest scrolls away. */
export function PostHeader({
  editor,
  pressedPagerButton,
  commentCount,
  openPanel,
  onTogglePanel,
  ...rest
}: PostHeaderProps) {
  const isWide = useMediaQuery("(min-width: 54rem)");
  const isExtraWide = useMediaQuery("(min-width: 72rem)");
  // Otherwise, the pager is in the menu.
  const hasPagerButtons = isExtraWide && openPanel === undefined;
  const pager = usePostPager(editor);
  const panelButtons = (
    <div className="ml-auto flex flex-none gap-2">
      {panels.map(({ panel, label, icon }) => (
        <Button
          key={panel}
          variant="quiet"
          size="small"
          icon={icon}
          className="@max-2xl:min-w-11"
          aria-expanded={openPanel === panel}
          onClick={() => onTogglePanel(panel)}
        >
          {/* On a phone or beside an open panel, the status and the next action need the space. */}
          <span className="@max-2xl:sr-only">{label}</span>
          {panel === "comments" && commentCount !== undefined && commentCount > 0 && ` (${commentCount})`}
        </Button>
      ))}
    </div>
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
      <div className="sticky top-0 z-5 -mx-2 mb-5 flex items-center gap-x-3 gap-y-2 border-b border-rule bg-paper px-2 py-2 flex-wrap max-md:top-[3.3125rem] md:-mt-4">
        {isWide && backLink}
        {hasPagerButtons && <PostPagerButtons pager={pager} pressedPagerButton={pressedPagerButton} />}
        <Actions editor={editor} menuPager={hasPagerButtons ? undefined : pager} {...rest}>
          {isWide && saveStatus}
          {isWide && panelButtons}
        </Actions>
      </div>
    </>
  );
}

function Actions({
  editor,
  nextAction,
  onPublish,
  menuPager,
  children,
}: Pick<PostHeaderProps, "editor" | "nextAction" | "onPublish"> & {
  menuPager: PostPager | undefined;
  children: ReactNode;
}) {
  const { may } = useStudio();
  const setStatus = useSetStatus(editor);
  const { status } = editor.base;
  const mainState = findMainState(editor.latestPost.publications ?? []);
  return (
    <>
      {mainState && (
        // On a phone, the badge gets its own line if it is long or the next action needs the space.
        <span
          className={`flex font-medium ${nextAction || mainState === "proposed" ? "max-sm:order-last max-sm:basis-full" : ""}`}
        >
          <IconBadge icon={stateIcons[mainState]} label={stateLabels[mainState]} color={stateColors[mainState]} />
        </span>
      )}
      <StatusSelect status={status} isDisabled={!may("posts.write")} onChange={(next) => void setStatus(next)} />
      {children}
      <div className="flex flex-none items-center gap-2 max-md:ml-auto">
        <OpenPostMenu editor={editor} pager={menuPager} onSetStatus={setStatus} />
        {nextAction && <NextActionButton action={nextAction} onPublish={onPublish} onSetStatus={setStatus} />}
      </div>
    </>
  );
}

function StatusSelect({
  status,
  isDisabled,
  onChange,
}: {
  status: PostStatus;
  isDisabled: boolean;
  onChange: (status: PostStatus) => void;
}) {
  const Icon = statusIcons[status];
  return (
    <span className="relative flex-none">
      <span
        className={`pointer-events-none absolute inset-y-0 left-2.5 grid place-items-center ${statusColors[status]}`}
      >
        <Icon size={16} aria-hidden="true" />
      </span>
      <select
        className="w-auto rounded-full border-rule py-1 pl-8 font-medium"
        aria-label="Status"
        value={status}
        disabled={isDisabled}
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

function NextActionButton({
  action,
  onPublish,
  onSetStatus,
}: {
  action: NextAction;
  onPublish: () => void;
  onSetStatus: (status: PostStatus) => Promise<void>;
}) {
  const { studio } = useStudio();
  const params = { studioId: studio.id };
  switch (action.kind) {
    case "restore":
      return <Button onClick={() => void onSetStatus("draft")}>Restore as draft</Button>;
    case "markReady":
      return <Button onClick={() => void onSetStatus("ready")}>Mark ready</Button>;
    case "publish":
      return <Button onClick={onPublish}>{action.label}</Button>;
    case "connect":
      return (
        <ButtonLink to="/studios/$studioId/platforms" params={params}>
          Connect an account
        </ButtonLink>
      );
    case "review":
      return action.publicationId === undefined ? (
        <ButtonLink to="/studios/$studioId/publications/approvals" params={params}>
          {action.label}
        </ButtonLink>
      ) : (
        <ButtonLink
          to="/studios/$studioId/publications/$publicationId"
          params={{ ...params, publicationId: action.publicationId }}
        >
          {action.label}
        </ButtonLink>
      );
  }
}
