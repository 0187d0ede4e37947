import type { Publication } from "../api/publication-queries.ts";
import { stateColors } from "../posts/AccountStates.tsx";
import { stateLabels, wasSentBack } from "./publication-states.ts";

export function StateBadge({ publication }: { publication: Pick<Publication, "state" | "problem"> }) {
  const { state } = publication;
  const isSentBack = wasSentBack(publication);
  return (
    <span
      className={`inline-block rounded-full border border-current px-2 font-sans text-[0.8rem]/normal whitespace-nowrap ${isSentBack ? "text-warning" : stateColors[state]}`}
    >
      {isSentBack ? "Sent back" : stateLabels[state]}
    </span>
  );
}
