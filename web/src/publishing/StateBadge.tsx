import type { VisibleState } from "../api/publication-queries.ts";
import { stateLabels } from "./publication-states.ts";

const problemStates: readonly VisibleState[] = ["failed", "unconfirmed", "missed"];
const positiveStates: readonly VisibleState[] = ["scheduled", "publishing", "published"];

export function StateBadge({ state }: { state: VisibleState }) {
  return (
    <span
      className={`inline-block rounded-full border px-2 font-sans text-[0.8rem]/normal whitespace-nowrap ${getColor(state)}`}
    >
      {stateLabels[state]}
    </span>
  );
}

function getColor(state: VisibleState): string {
  if (problemStates.includes(state)) return "border-danger text-danger";
  return positiveStates.includes(state) ? "border-accent text-accent" : "border-rule text-muted";
}
