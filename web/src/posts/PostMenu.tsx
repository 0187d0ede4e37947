import { CalendarClock, CopyPlus, Ellipsis, Link2, SquarePen, Trash2, UserCheck } from "lucide-react";
import type { PostStatus } from "../api/queries.ts";
import type { PostSummary } from "../api/summary-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mayPublishWithoutApproval } from "../publishing/may-publish-without-approval.ts";
import { postStatuses } from "../search-params.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "../ui/Menu.tsx";
import { listReschedulable } from "./list-reschedulable.ts";
import { askLabel } from "./next-action.ts";
import { findGroup } from "./post-groups.ts";
import { usePostDialogs } from "./PostDialogs.tsx";
import { useChangePost } from "./use-change-post.ts";
import { useDuplicatePost } from "./use-duplicate-post.ts";
import { statusIcons } from "./status-labels.ts";

const actionLabels: Record<PostStatus, string> = {
  draft: "Move to drafts",
  ready: "Mark ready",
  archived: "Archive",
};

/** What a user can do with a post without opening it. Needs a `PostDialogsProvider`. */
export function PostMenu({ post }: { post: PostSummary }) {
  const label = `Actions for ${post.title}`;
  return (
    <Menu label={label} trigger={<IconButton icon={Ellipsis} size="small" label={label} />}>
      <PostMenuItems post={post} />
    </Menu>
  );
}

function PostMenuItems({ post }: { post: PostSummary }) {
  const { studio, may } = useStudio();
  const { setStatus, moveToTrash } = useChangePost();
  const duplicate = useDuplicatePost();
  const { copyLink } = usePostDialogs();
  const group = findGroup(post);
  return (
    <>
      <MenuLink
        icon={SquarePen}
        to="/studios/$studioId/posts/$postId"
        params={{ studioId: studio.id, postId: post.id }}
      >
        Open
      </MenuLink>
      <MenuItem icon={Link2} onSelect={() => void copyLink(`${location.origin}/studios/${studio.id}/posts/${post.id}`)}>
        Copy link
      </MenuItem>
      {may("publications.request") && post.status !== "archived" && <ScheduleItem post={post} />}
      {may("posts.write") && (
        <>
          <MenuItem icon={CopyPlus} onSelect={() => void duplicate(post)}>
            Duplicate
          </MenuItem>
          <MenuSeparator />
          {postStatuses
            // Between drafts and ready posts, a scheduled or published post would not visibly move.
            .filter((status) => status !== post.status && (group === post.status || status === "archived"))
            .map((status) => (
              <MenuItem key={status} icon={statusIcons[status]} onSelect={() => void setStatus(post, status)}>
                {actionLabels[status]}
              </MenuItem>
            ))}
          <MenuSeparator />
          <MenuItem icon={Trash2} isDestructive onSelect={() => void moveToTrash(post)}>
            Move to trash
          </MenuItem>
        </>
      )}
    </>
  );
}

/** Reschedules a planned post: on its page if its publications have different times, where each has a button. */
function ScheduleItem({ post }: { post: PostSummary }) {
  const { studio } = useStudio();
  const { schedule, askForApproval, reschedule } = usePostDialogs();
  const times = new Set(listReschedulable(post).map(({ scheduledFor }) => scheduledFor));
  if (times.size === 0)
    return (
      <>
        {mayPublishWithoutApproval(studio) && (
          <MenuItem icon={CalendarClock} onSelect={() => schedule(post)}>
            Schedule…
          </MenuItem>
        )}
        <MenuItem icon={UserCheck} onSelect={() => askForApproval(post)}>
          {askLabel}
        </MenuItem>
      </>
    );
  if (times.size === 1)
    return (
      <MenuItem icon={CalendarClock} onSelect={() => reschedule(post)}>
        Reschedule…
      </MenuItem>
    );
  return (
    <MenuLink
      icon={CalendarClock}
      to="/studios/$studioId/posts/$postId"
      params={{ studioId: studio.id, postId: post.id }}
      hash="publishing"
    >
      Reschedule…
    </MenuLink>
  );
}
