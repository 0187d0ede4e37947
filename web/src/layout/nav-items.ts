import { linkOptions, useLocation } from "@tanstack/react-router";
import {
  Activity,
  Bot,
  CalendarDays,
  ChartColumn,
  Images,
  Newspaper,
  Plug,
  Send,
  Settings,
  Trash2,
  UserCheck,
  Users,
  type LucideIcon,
} from "lucide-react";
import type { Action } from "../api/queries.ts";
import { useStudio } from "./use-studio.ts";

/** The pages of a studio; each is hidden from users who may not perform its action. */
const navItems = [
  { page: "posts", label: "Posts", icon: Newspaper, keys: "g p", requiredAction: "posts.read" },
  { page: "calendar", label: "Calendar", icon: CalendarDays, keys: "g d", requiredAction: "posts.read" },
  { page: "approvals", label: "Approvals", icon: UserCheck, keys: "g v", requiredAction: "publications.read" },
  { page: "publications", label: "Publications", icon: Send, keys: "g u", requiredAction: "publications.read" },
  { page: "results", label: "Results", icon: ChartColumn, keys: "g r", requiredAction: "publications.read" },
  { page: "assets", label: "Library", icon: Images, keys: "g l", requiredAction: "assets.read" },
  { page: "platforms", label: "Platforms", icon: Plug, keys: "g o", requiredAction: "platforms.read" },
  { page: "clients", label: "AI clients", icon: Bot, keys: "g c", requiredAction: "clients.list" },
  { page: "members", label: "Members", icon: Users, keys: "g m", requiredAction: "members.list" },
  { page: "activity", label: "Activity", icon: Activity, keys: "g a", requiredAction: "activity.list" },
  { page: "trash", label: "Trash", icon: Trash2, keys: "g t", requiredAction: "posts.read" },
  { page: "settings", label: "Settings", icon: Settings, keys: "g s", requiredAction: "studio.update" },
] as const satisfies readonly {
  page: string;
  label: string;
  icon: LucideIcon;
  keys: string;
  requiredAction: Action;
}[];

type NavItem = (typeof navItems)[number];

/** The pages that the user may open. */
export function useNavItems(): readonly NavItem[] {
  const { may } = useStudio();
  return navItems.filter(({ requiredAction }) => may(requiredAction));
}

/** The link to a page of the studio. */
export function getNavLink(page: NavItem["page"], studioId: string) {
  const params = { studioId };
  if (page === "calendar") return linkOptions({ to: "/studios/$studioId/posts", params, search: { view: "calendar" } });
  if (page === "approvals") return linkOptions({ to: "/studios/$studioId/publications/approvals", params });
  return linkOptions({ to: `/studios/$studioId/${page}`, params });
}

/** The page that is open; undefined on pages that are not in the navigation. */
export function useOpenNavPage(): string | undefined {
  return useLocation({
    select: ({ pathname, search }) => {
      const [, , , page, ...rest] = pathname.split("/");
      if (page === "posts" && rest.length === 0 && search.view === "calendar") return "calendar";
      return page === "publications" && rest[0] === "approvals" ? "approvals" : page;
    },
  });
}
