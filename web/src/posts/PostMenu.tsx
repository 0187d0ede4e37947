import { CalendarClock, CopyPlus, Ellipsis, Link2, SquarePen, Trash2 } from "lucide-react";
import type { PostStatus } from "../api/queries.ts";
import type { PostSummary } from "../api/summary-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { postStatuses } from "../search-params.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "../ui/Menu.tsx";
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
  const { copyLink, schedule } = usePostDialogs();
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
      {may("publications.request") && post.status !== "archived" && (
        <MenuItem icon={CalendarClock} onSelect={() => schedule(post.id)}>
          Schedule…
        </MenuItem>
      )}
      {may("posts.write") && (
        <>
          <MenuItem icon={CopyPlus} onSelect={() => void duplicate(post)}>
            Duplicate
          </MenuItem>
          <MenuSeparator />
          {postStatuses
            .filter((status) => status !== post.status)
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
