import type { Publication } from "../api/publication-queries.ts";
import { stateColors } from "../posts/AccountStates.tsx";
import { sentBackLabel, stateLabels } from "./publication-states.ts";
import { wasSentBack } from "./sent-back.ts";

export function StateBadge({ publication }: { publication: Pick<Publication, "state" | "problem"> }) {
  const { state } = publication;
  return wasSentBack(publication) ? (
    <OutlineBadge label={sentBackLabel} color="text-warning" />
  ) : (
    <OutlineBadge label={stateLabels[state]} color={stateColors[state]} />
  );
}

export function OutlineBadge({ label, color }: { label: string; color: string }) {
  return (
    <span
      className={`inline-block rounded-full border border-current px-2 font-sans text-[0.8rem]/normal whitespace-nowrap ${color}`}
    >
      {label}
    </span>
  );
}
