import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatAccount } from "../platforms/format-account.ts";
import { stateLabels } from "../publishing/publication-states.ts";
import { usePlatformNames } from "../publishing/use-platform-names.ts";
import { formatTime } from "../ui/format-time.ts";

export type CanceledPublication = Pick<Publication, "id" | "account" | "platform" | "state" | "scheduledFor">;

/** The account, platform and time of each publication that is canceled if the user removes the post. */
export function CanceledPublications({ publications }: { publications: readonly CanceledPublication[] }) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  return (
    <ul className="my-2 list-disc pl-5 [overflow-wrap:anywhere]">
      {publications.map((publication) => (
        <li key={publication.id}>
          {formatAccount(publication.account, getPlatformName(publication.platform))}:{" "}
          {describePlan(publication, studio.timezone)}
        </li>
      ))}
    </ul>
  );
}

function describePlan({ state, scheduledFor }: CanceledPublication, timezone: string): string {
  if (scheduledFor === null)
    return state === "proposed" ? "as soon as it is approved" : stateLabels[state].toLowerCase();
  return `${state === "missed" ? "missed on " : ""}${formatTime(scheduledFor, timezone)}`;
}
