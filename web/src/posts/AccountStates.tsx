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
import type { PostSummary } from "../api/summary-queries.ts";
import { formatAccount } from "../platforms/format-account.ts";
import { getPlatformName } from "../platforms/platform-name.ts";
import { compareUrgency, countPartlyPublished } from "../publishing/find-main-state.ts";
import { stateLabels } from "../publishing/publication-states.ts";
import { findShownState } from "./find-shown-state.ts";

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

interface AccountStatesProps {
  post: Pick<PostSummary, "status" | "publications">;
  limit?: number;
  /** Where to name the platforms, if there is room. Their names are always in the tooltip. */
  platforms?: "below" | "beside" | "hidden";
}

/**
 * The accounts of a post: the first `limit`, and how many more. The icon of a state is shown only if it differs from the
 * state of the post, which stands nearby.
 */
export function AccountStates({ post, limit = 1, platforms = "hidden" }: AccountStatesProps) {
  const { publications } = post;
  if (publications.length === 0) return null;
  const shownState = countPartlyPublished(publications) ? undefined : findShownState(post);
  const sortedPublications = publications.toSorted((a, b) => compareUrgency(a.state, b.state));
  const hiddenCount = publications.length - limit;
  // In one line, the number of hidden accounts stands directly behind the name.
  const hasPlatformBeside = platforms === "beside" && (limit > 1 || hiddenCount <= 0);
  const platformNames = new Set(sortedPublications.map(({ platform }) => getPlatformName(platform)));
  return (
    <span
      className="block min-w-0 text-sm"
      title={sortedPublications
        .map(
          ({ account, platform, state }) =>
            `${formatAccount(account, getPlatformName(platform))}: ${stateLabels[state]}`,
        )
        .join("\n")}
    >
      {/* Rows of a list have one line; on a card, each name gets its own line if there is too little room for two. */}
      <span className={`flex min-w-0 items-center ${limit > 1 ? "flex-wrap gap-x-2.5" : "gap-x-1"}`}>
        {sortedPublications.slice(0, limit).map(({ id, account, platform, state }) => (
          // A platform that doesn't fit wraps to a second line, which is hidden.
          <span
            key={id}
            className={`flex max-w-full min-w-0 items-center gap-x-1 ${hasPlatformBeside ? "h-lh flex-wrap overflow-hidden" : ""}`}
          >
            {state !== shownState && <StateIcon state={state} />}
            <span className={`truncate ${hasPlatformBeside ? "max-w-full flex-none" : ""}`}>{account}</span>
            {hasPlatformBeside && (
              <span className="flex-none text-muted before:mr-1 before:content-['·'/'']">
                {getPlatformName(platform)}
              </span>
            )}
          </span>
        ))}
        {hiddenCount > 0 && (
          <span className="flex-none text-muted">
            +{hiddenCount}
            <span className="sr-only"> more {hiddenCount === 1 ? "account" : "accounts"}</span>
          </span>
        )}
      </span>
      {platforms === "below" && (
        <span className="block truncate text-xs text-muted">{[...platformNames].join(", ")}</span>
      )}
    </span>
  );
}

function StateIcon({ state }: { state: VisibleState }) {
  const Icon = stateIcons[state];
  return (
    <>
      <Icon size={14} className={`flex-none ${stateColors[state]}`} aria-hidden="true" />
      <span className="sr-only">{stateLabels[state]}: </span>
    </>
  );
}
