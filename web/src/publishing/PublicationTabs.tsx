import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";
import { tabClasses, tabListClasses } from "../ui/tab-classes.ts";
import { ProposalBadge } from "./ProposalBadge.tsx";

const tabs = [
  ["all", "All", "/studios/$studioId/publications"],
  ["upcoming", "Upcoming", "/studios/$studioId/publications/upcoming"],
  ["approvals", "Approvals", "/studios/$studioId/publications/approvals"],
] as const;

/** Switches between all publications, those that go out next, and those that wait for approval. */
export function PublicationTabs({ current }: { current: (typeof tabs)[number][0] }) {
  const { studio } = useStudio();
  return (
    <nav aria-label="Publications" className={`mb-6 ${tabListClasses}`}>
      {tabs.map(([tab, label, to]) => (
        <Link
          key={tab}
          to={to}
          params={{ studioId: studio.id }}
          activeOptions={{ exact: true }}
          className={tabClasses}
          data-state={tab === current ? "active" : "inactive"}
          aria-current={tab === current ? "page" : undefined}
        >
          {label}
          {tab === "approvals" && <ProposalBadge />}
        </Link>
      ))}
    </nav>
  );
}
