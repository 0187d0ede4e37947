import { ArrowLeft, History, MessageSquare } from "lucide-react";
import { formatOpenThreads } from "../comments/group-threads.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { PostPanel } from "../search-params.ts";
import { Button } from "../ui/Button.tsx";
import { MenuItem, MenuLink, MenuSeparator } from "../ui/Menu.tsx";
import { readLastPostsView } from "./last-posts-view.ts";

const panels = [
  { panel: "comments", label: "Comments", icon: MessageSquare },
  { panel: "history", label: "History", icon: History },
] as const;

interface PanelProps {
  /** Undefined while it loads. */
  openThreadCount: number | undefined;
  onTogglePanel: (panel: PostPanel) => void;
}

/** The buttons that open and close the panels beside the post. */
export const PostPanelButtons = ({
  openThreadCount,
  openPanel,
  onTogglePanel,
}: PanelProps & { openPanel: PostPanel | undefined }) => (
  <div className="ml-auto flex flex-none gap-2">
    {panels.map(({ panel, label, icon }) => (
      <Button
        key={panel}
        variant="quiet"
        size="small"
        icon={icon}
        className="aria-expanded:border-accent aria-expanded:bg-wash aria-expanded:text-accent @max-2xl:px-2 max-md:min-w-11 pointer-coarse:@max-3xl:min-w-11 forced-colors:aria-expanded:border-[Highlight]"
        aria-expanded={openPanel === panel}
        onClick={() => onTogglePanel(panel)}
      >
        {/* On a phone or beside an open panel, the status and the next action need the space. */}
        <span className="@max-2xl:sr-only pointer-coarse:@max-3xl:sr-only">{label}</span>
        {panel === "comments" && openThreadCount !== undefined && openThreadCount > 0 && (
          <span title={formatOpenThreads(openThreadCount)}>
            <span aria-hidden="true">{openThreadCount}</span>
            <span className="sr-only">, {formatOpenThreads(openThreadCount)}</span>
          </span>
        )}
      </Button>
    ))}
  </div>
);

/** What a phone offers in the menu of the post, too, because the link and the buttons for it scroll away. */
export function PhoneMenuItems({ openThreadCount, onTogglePanel }: PanelProps) {
  const { studio } = useStudio();
  return (
    <>
      <MenuLink
        icon={ArrowLeft}
        to="/studios/$studioId/posts"
        params={{ studioId: studio.id }}
        search={readLastPostsView(studio.id).search}
      >
        Back to posts
      </MenuLink>
      {panels.map(({ panel, label, icon }) => (
        <MenuItem
          key={panel}
          icon={icon}
          detail={panel === "comments" && openThreadCount ? formatOpenThreads(openThreadCount) : undefined}
          onSelect={() => onTogglePanel(panel)}
        >
          {label}
        </MenuItem>
      ))}
      <MenuSeparator />
    </>
  );
}
