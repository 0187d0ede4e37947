import { Link } from "@tanstack/react-router";
import type { Action } from "../api/queries.ts";
import { ProposalBadge } from "../publishing/ProposalBadge.tsx";
import { useStudio } from "./use-studio.ts";

/** The pages of a studio; each is hidden from users who may not perform its action. */
const navItems = [
  { page: "posts", label: "Posts", requiredAction: "posts.read" },
  { page: "publications", label: "Publications", requiredAction: "publications.read" },
  { page: "assets", label: "Assets", requiredAction: "assets.read" },
  { page: "platforms", label: "Platforms", requiredAction: "platforms.read" },
  { page: "clients", label: "AI clients", requiredAction: "clients.list" },
  { page: "connect", label: "Connect", requiredAction: "studio.read" },
  { page: "members", label: "Members", requiredAction: "members.list" },
  { page: "activity", label: "Activity", requiredAction: "activity.list" },
  { page: "trash", label: "Trash", requiredAction: "posts.read" },
  { page: "settings", label: "Settings", requiredAction: "studio.update" },
] as const satisfies readonly { page: string; label: string; requiredAction: Action }[];

export function StudioNav() {
  const { studio, may } = useStudio();
  return (
    <nav aria-label="Studio">
      <ul className="grid">
        {navItems
          .filter(({ requiredAction }) => may(requiredAction))
          .map(({ page, label }) => (
            <li key={page}>
              <Link
                to={`/studios/$studioId/${page}`}
                params={{ studioId: studio.id }}
                className="block border-l-2 py-1.5 pl-3.5 no-underline max-md:py-2.5 max-md:text-lg"
                activeProps={{ className: "border-accent font-semibold text-ink" }}
                inactiveProps={{
                  className: "border-transparent text-muted hover:text-ink forced-colors:border-[Canvas]",
                }}
              >
                {label}
                {page === "publications" && <ProposalBadge />}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}
