import type { VisibleState } from "../api/publication-queries.ts";
import { stateColors } from "../posts/AccountStates.tsx";
import { stateLabels } from "./publication-states.ts";

export const StateBadge = ({ state }: { state: VisibleState }) => (
  <span
    className={`inline-block rounded-full border border-current px-2 font-sans text-[0.8rem]/normal whitespace-nowrap ${stateColors[state]}`}
  >
    {stateLabels[state]}
  </span>
);
