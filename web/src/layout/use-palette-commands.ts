import { useLocation, useNavigate } from "@tanstack/react-router";
import { Building2, ChevronRight, Keyboard, Plus, SquarePen, type LucideIcon } from "lucide-react";
import { useShortcutSettings } from "../ui/Shortcuts.tsx";
import { useMediaQuery } from "../ui/use-media-query.ts";
import { useCommands } from "./commands.ts";
import { useNavItems } from "./nav-items.ts";
import { setTheme, themes, useTheme } from "./theme.ts";
import { useStudio } from "./use-studio.ts";
import { useSwitchStudio } from "./use-switch-studio.ts";

export const studiosGroup = "Switch studio";

export interface PaletteCommand {
  group: string;
  label: string;
  icon: LucideIcon;
  keys?: string | undefined;
  detail?: string;
  run: () => void;
}

/** What the user can do on this page, and from any page of the studio. */
export function usePaletteCommands(): PaletteCommand[] {
  const { studio, me, may } = useStudio();
  const navigate = useNavigate();
  const switchTo = useSwitchStudio();
  const { openShortcutHelp } = useCommands();
  const { shortcuts } = useShortcutSettings();
  const currentTheme = useTheme();
  const isTouch = useMediaQuery("(pointer: coarse)");
  const params = { studioId: studio.id };
  const pathname = useLocation({ select: (location) => location.pathname });
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
      .filter(({ page }) => pathname !== `/studios/${studio.id}/${page}`)
      .map(({ page, label, icon, keys }) => ({
        group: "Go to",
        label,
        icon,
        keys,
        run: () => void navigate({ to: `/studios/$studioId/${page}`, params }),
      })),
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
  ];
}
