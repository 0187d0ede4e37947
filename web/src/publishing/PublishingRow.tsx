import type { ReactNode } from "react";
import { DotSeparated } from "../ui/DotSeparated.tsx";

/** An account on the page of a post: its name and state, then details, problems and actions. */
export function PublishingRow({
  name,
  badge,
  details,
  children,
}: {
  name: ReactNode;
  badge: ReactNode;
  details: readonly string[];
  children: ReactNode;
}) {
  return (
    <li className="grid min-w-0 gap-1.5 py-2.5 [overflow-wrap:anywhere]">
      <div className="flex flex-wrap items-center justify-between gap-x-2.5 gap-y-1">
        {name}
        {badge}
      </div>
      <p className="m-0 text-sm text-muted">
        <DotSeparated parts={details} />
      </p>
      {children}
    </li>
  );
}

export const rowNameClasses = "min-w-0 font-medium text-ink no-underline hover:text-accent";
