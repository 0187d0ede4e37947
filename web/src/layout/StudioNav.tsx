import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { ProposalBadge } from "../publishing/ProposalBadge.tsx";
import { useNavItems } from "./nav-items.ts";
import { useStudio } from "./use-studio.ts";

/** Loaded on demand, so that the first page does not wait for it. If that fails, the page works without it. */
const AttentionBadge = lazy(async () => ({
  default: await import("../publishing/AttentionBadge.tsx").then(
    (module) => module.AttentionBadge,
    () => () => null,
  ),
}));

export function StudioNav() {
  const { studio } = useStudio();
  return (
    <nav aria-label="Studio">
      <ul className="grid gap-0.5">
        {useNavItems().map(({ page, label, icon: Icon }) => (
          <li key={page}>
            <Link
              to={`/studios/$studioId/${page}`}
              params={{ studioId: studio.id }}
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
              {page === "publications" && (
                <>
                  <ProposalBadge />
                  <Suspense>
                    <AttentionBadge />
                  </Suspense>
                </>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
