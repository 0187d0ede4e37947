import { useNavigate } from "@tanstack/react-router";
import {
  Bot,
  Building2,
  ChevronRight,
  Keyboard,
  LogOut,
  Plus,
  SquarePen,
  UserPlus,
  type LucideIcon,
} from "lucide-react";
import { useShortcutSettings } from "../ui/Shortcuts.tsx";
import { useMediaQuery } from "../ui/use-media-query.ts";
import { useSignOut } from "./AccountMenu.tsx";
import { useCommands } from "./commands.ts";
import { getNavLink, useNavItems, useOpenNavPage } from "./nav-items.ts";
import { setTheme, themes, useTheme } from "./theme.ts";
import { useStudio } from "./use-studio.ts";
import { useSwitchStudio } from "./use-switch-studio.ts";

export const studiosGroup = "Switch studio";

/** Other words that people use for a page. */
const pageKeywords: Readonly<Record<string, string>> = {
  posts: "drafts content",
  calendar: "plan schedule month week agenda",
  approvals: "approve review requests proposals waiting",
  publications: "scheduled published queue",
  results: "likes comments analytics statistics compare export",
  assets: "files images videos media",
  platforms: "accounts connect social",
  clients: "assistants mcp connect",
  members: "people team roles",
  activity: "log history",
  trash: "deleted restore",
  settings: "studio timezone approval",
};

export interface PaletteCommand {
  group: string;
  label: string;
  icon: LucideIcon;
  keys?: string | undefined;
  detail?: string;
  /** Other words that people use for it. */
  keywords?: string;
  run: () => void;
}

/** What the user can do on this page, and from any page of the studio. */
export function usePaletteCommands(): PaletteCommand[] {
  const { studio, me, may } = useStudio();
  const navigate = useNavigate();
  const switchTo = useSwitchStudio();
  const signOut = useSignOut();
  const { openShortcutHelp } = useCommands();
  const { shortcuts } = useShortcutSettings();
  const currentTheme = useTheme();
  const isTouch = useMediaQuery("(pointer: coarse)");
  const params = { studioId: studio.id };
  const openPage = useOpenNavPage();
  const otherMemberships = me.memberships.filter(({ studioId }) => studioId !== studio.id);

  const newPost: PaletteCommand = {
    group: "Actions",
    label: "New post",
    icon: SquarePen,
    keys: "n",
    run: () => void navigate({ to: "/studios/$studioId/posts/new", params }),
  };
  // The commands below include the shortcuts of these groups.
  const pageShortcuts = shortcuts.filter(
    ({ group, needsFocus, isCurrent }) =>
      group !== "General" && group !== "Go to" && needsFocus !== true && isCurrent !== true,
  );
  return [
    ...pageShortcuts.map(({ label, icon = ChevronRight, keys, run }) => ({
      group: "This page",
      label,
      icon,
      keys,
      run,
    })),
    ...(may("posts.write") ? [newPost] : []),
    {
      group: "Actions",
      label: "New studio",
      icon: Plus,
      run: () => void navigate({ to: "/studios/new" }),
    },
    ...(isTouch
      ? []
      : [{ group: "Actions", label: "Keyboard shortcuts", icon: Keyboard, keys: "?", run: openShortcutHelp }]),
    ...useNavItems()
      .filter(({ page }) => page !== openPage)
      .map(({ page, label, icon, keys }) => ({
        group: "Go to",
        label,
        icon,
        keys,
        keywords: pageKeywords[page] ?? "",
        run: () => void navigate(getNavLink(page, studio.id)),
      })),
    ...(may("invitations.create")
      ? [
          {
            group: "Go to",
            label: "Invite a member",
            icon: UserPlus,
            keywords: "add people team colleague",
            run: () => void navigate({ to: "/studios/$studioId/members", params }),
          },
        ]
      : []),
    {
      group: "Go to",
      label: "Connect an AI client",
      icon: Bot,
      keywords: "assistant mcp claude chatgpt",
      run: () => void navigate({ to: "/studios/$studioId/connect", params }),
    },
    ...otherMemberships.map((membership) => ({
      group: studiosGroup,
      label: membership.studioName,
      icon: Building2,
      run: () => void switchTo(membership),
    })),
    ...themes.map(({ theme, label, icon }) => ({
      group: "Theme",
      label,
      icon,
      ...(theme === currentTheme ? { detail: "Current" } : {}),
      run: () => setTheme(theme),
    })),
    {
      group: "Account",
      label: "Sign out",
      icon: LogOut,
      keywords: "log logout leave",
      run: () => void signOut(),
    },
  ];
}
