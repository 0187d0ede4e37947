import { Link } from "@tanstack/react-router";
import { getNavLink, useNavItems, useOpenNavPage } from "./nav-items.ts";
import { AttentionBadge, ProposalBadge } from "./PublicationBadges.tsx";
import { useStudio } from "./use-studio.ts";

export function StudioNav() {
  const { studio } = useStudio();
  const openPage = useOpenNavPage();
  return (
    <nav aria-label="Studio">
      <ul className="grid gap-0.5">
        {useNavItems().map(({ page, label, icon: Icon }) => (
          <li key={page}>
            <Link
              {...getNavLink(page, studio.id)}
              // The calendar is a view of the posts, and the approvals are a part of the publications.
              activeOptions={{ exact: page !== openPage }}
              className="group flex min-h-8 items-center gap-2.5 rounded-md px-2.5 font-medium no-underline pointer-coarse:min-h-11"
              activeProps={{ className: "bg-hover text-ink forced-colors:outline-2" }}
              inactiveProps={{ className: "text-muted hover:bg-hover hover:text-ink" }}
            >
              <Icon
                size={18}
                strokeWidth={1.75}
                className="flex-none group-aria-[current]:text-accent"
                aria-hidden="true"
              />
              <span className="flex-1">{label}</span>
              {page === "approvals" && <ProposalBadge />}
              {page === "publications" && <AttentionBadge />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
