import { Archive, ChevronDown, ChevronUp, CopyPlus, Ellipsis, Link2, Trash2, UserCheck } from "lucide-react";
import type { ReactNode } from "react";
import type { PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { Menu, MenuItem, MenuLabel, MenuRadioGroup, MenuRadioItem, MenuSeparator } from "../ui/Menu.tsx";
import { useShortcut } from "../ui/use-shortcut.ts";
import { describeOpenPostState } from "./describe-post-state.ts";
import { askLabel } from "./next-action.ts";
import { findGroup } from "./post-groups.ts";
import { useCopyLink } from "./use-copy-link.tsx";
import { useDeletePost } from "./use-delete-post.ts";
import { useDuplicateOpenPost } from "./use-duplicate-post.ts";
import type { EditorController } from "./use-editor.ts";
import type { PostPager } from "./use-post-pager.ts";
import { statusIcons, statusLabels } from "./status-labels.ts";

/** What a user can do with the post in the editor. */
export function OpenPostMenu({
  editor,
  pager,
  phoneItems,
  onAskForApproval,
  onSetStatus,
}: {
  editor: EditorController;
  /** Only on a phone. */
  phoneItems: ReactNode;
  /** Undefined if the header has buttons for it. */
  pager: PostPager | undefined;
  /** Undefined if the post can't be published now, or if the user's only way to publish is to ask. */
  onAskForApproval: (() => void) | undefined;
  onSetStatus: (status: PostStatus) => Promise<void>;
}) {
  const { may } = useStudio();
  const deletePost = useDeletePost(editor);
  const duplicate = useDuplicateOpenPost(editor);
  const mayWrite = may("posts.write");
  const { copyLink, linkDialog } = useCopyLink();
  const copyPostLink = (): void => void copyLink(editor.post.url);
  const { status } = editor.post;
  const group = "Post";
  useShortcut({ label: "Copy link", group, icon: Link2, run: copyPostLink });
  useShortcut({
    label: askLabel,
    group,
    icon: UserCheck,
    isEnabled: onAskForApproval !== undefined,
    run: () => onAskForApproval?.(),
  });
  useShortcut({
    label: "Duplicate",
    group,
    icon: CopyPlus,
    isEnabled: mayWrite,
    run: () => void duplicate(),
  });
  useShortcut({
    label: "Mark ready",
    group,
    icon: statusIcons.ready,
    isEnabled: mayWrite && findGroup({ ...editor.post, status }) === "draft",
    run: () => void onSetStatus("ready"),
  });
  useShortcut({
    label: "Archive",
    group,
    icon: Archive,
    isEnabled: mayWrite && status !== "archived",
    run: () => void onSetStatus("archived"),
  });
  return (
    <>
      <Menu label="Actions for this post" trigger={<IconButton icon={Ellipsis} label="Actions for this post" />}>
        {phoneItems}
        {pager && (pager.openPrevious ?? pager.openNext) && <PagerItems pager={pager} />}
        <MenuItem icon={Link2} onSelect={copyPostLink}>
          Copy link
        </MenuItem>
        {onAskForApproval && (
          <MenuItem icon={UserCheck} onSelect={onAskForApproval}>
            {askLabel}
          </MenuItem>
        )}
        {mayWrite && (
          <>
            <MenuItem icon={CopyPlus} onSelect={() => void duplicate()}>
              Duplicate
            </MenuItem>
            {status !== "archived" && (
              <MenuItem icon={Archive} onSelect={() => void onSetStatus("archived")}>
                Archive
              </MenuItem>
            )}
            <MenuSeparator />
            {describeOpenPostState({ ...editor.post, status }) && (
              <StatusItems status={status} onSetStatus={onSetStatus} />
            )}
            <MenuItem icon={Trash2} isDestructive onSelect={() => void deletePost()}>
              Move to trash
            </MenuItem>
          </>
        )}
      </Menu>
      {linkDialog}
    </>
  );
}

/** Archiving has its own item. */
const activeStatuses = ["draft", "ready"] as const;

/** The status that the team gave the post. The header shows the state of its publications instead. */
const StatusItems = ({
  status,
  onSetStatus,
}: {
  status: PostStatus;
  onSetStatus: (status: PostStatus) => Promise<void>;
}) => (
  <>
    <MenuLabel>Team status</MenuLabel>
    <MenuRadioGroup label="Team status" value={status} onChange={(next) => next !== status && void onSetStatus(next)}>
      {activeStatuses.map((option) => (
        <MenuRadioItem key={option} value={option} icon={statusIcons[option]}>
          {statusLabels[option].singular}
        </MenuRadioItem>
      ))}
    </MenuRadioGroup>
    <MenuSeparator />
  </>
);

const PagerItems = ({ pager: { openPrevious, openNext } }: { pager: PostPager }) => (
  <>
    <MenuItem icon={ChevronUp} shortcut="k" disabled={!openPrevious} onSelect={() => openPrevious?.()}>
      Previous post
    </MenuItem>
    <MenuItem icon={ChevronDown} shortcut="j" disabled={!openNext} onSelect={() => openNext?.()}>
      Next post
    </MenuItem>
    <MenuSeparator />
  </>
);
