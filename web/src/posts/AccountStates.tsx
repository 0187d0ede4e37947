import {
  CheckCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleX,
  Clock,
  ClockAlert,
  Hourglass,
  Loader,
  type LucideIcon,
} from "lucide-react";
import type { VisibleState } from "../api/publication-queries.ts";
import type { SummaryPublication } from "../api/summary-queries.ts";
import { compareUrgency } from "../publishing/find-main-state.ts";
import { stateLabels } from "../publishing/publication-states.ts";

/** They differ from the icons of statuses, because lists show a state or a status in the same place. */
export const stateIcons: Record<VisibleState, LucideIcon> = {
  proposed: Hourglass,
  scheduled: Clock,
  publishing: Loader,
  published: CheckCheck,
  failed: CircleX,
  unconfirmed: CircleQuestionMark,
  missed: ClockAlert,
  canceled: CircleDashed,
};

export const stateColors: Record<VisibleState, string> = {
  proposed: "text-warning",
  scheduled: "text-info",
  publishing: "text-info",
  published: "text-success",
  failed: "text-danger",
  unconfirmed: "text-danger",
  missed: "text-danger",
  canceled: "text-muted",
};

/** The accounts of a post with the state of their latest publications: the first `limit`, and how many more. */
export function AccountStates({
  publications,
  limit = 1,
}: {
  publications: readonly Pick<SummaryPublication, "id" | "account" | "state">[];
  limit?: number;
}) {
  if (publications.length === 0) return null;
  const sortedPublications = publications.toSorted((a, b) => compareUrgency(a.state, b.state));
  const hiddenCount = publications.length - limit;
  return (
    <span
      // Rows of a list have one line; on a card, each name gets its own line if there is too little room for two.
      className={`flex min-w-0 items-center gap-x-2.5 text-sm ${limit > 1 ? "flex-wrap" : ""}`}
      title={sortedPublications.map(({ account, state }) => `${account}: ${stateLabels[state]}`).join("\n")}
    >
      {sortedPublications.slice(0, limit).map(({ id, account, state }) => {
        const Icon = stateIcons[state];
        return (
          <span key={id} className="flex max-w-full min-w-0 items-center gap-1">
            <Icon size={14} className={`flex-none ${stateColors[state]}`} aria-hidden="true" />
            <span className="sr-only">{stateLabels[state]}: </span>
            <span className="truncate">{account}</span>
          </span>
        );
      })}
      {hiddenCount > 0 && (
        <span className="flex-none text-muted">
          +{hiddenCount}
          <span className="sr-only"> more {hiddenCount === 1 ? "account" : "accounts"}</span>
        </span>
      )}
    </span>
  );
}
