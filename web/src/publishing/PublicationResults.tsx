import { useQuery } from "@tanstack/react-query";
import { refreshResults } from "../api/mutations.ts";
import { resultsQuery, type ResultSnapshot } from "../api/planning-queries.ts";
import type { PublicationDetail } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Section } from "../ui/Section.tsx";
import { useAction } from "../ui/use-action.ts";
import { getMetricLabel, getReasonLabel } from "./result-labels.ts";
import { ResultsChart } from "./ResultsChart.tsx";

const hourMs = 3_600_000;

/** How old the post was: "5 h" or "3 d". */
function formatAge({ readAt }: ResultSnapshot, publishedAt: string): string {
  const ageMs = Date.parse(readAt) - Date.parse(publishedAt);
  if (ageMs < hourMs) return `${Math.floor(ageMs / 60_000)} min`;
  return ageMs < 48 * hourMs ? `${Math.floor(ageMs / hourMs)} h` : `${Math.floor(ageMs / (24 * hourMs))} d`;
}

/** What the platform said about a published post, over its age. */
export function PublicationResults({ publication: { id, publishedAt } }: { publication: PublicationDetail }) {
  const { studio } = useStudio();
  const { data } = useQuery(resultsQuery(studio.id, id));
  const { isRunning, error, run } = useAction();
  if (!data || publishedAt === null) return null;
  const { snapshots } = data;
  const names = [...new Set(snapshots.flatMap(({ metrics }) => Object.keys(metrics)))];
  return (
    <Section title="Results">
      {snapshots.length === 0 ? (
        <p>The platform is asked for the first time an hour after publishing.</p>
      ) : (
        <>
          <ResultsChart snapshots={snapshots} names={names} publishedAt={publishedAt} />
          <div className="mt-3 overflow-x-auto">
            <table className="w-full text-left text-sm tabular-nums [&_td]:py-1 [&_td]:pr-4 [&_th]:py-1 [&_th]:pr-4">
              <caption className="sr-only">What the platform counted, by the age of the post</caption>
              <thead>
                <tr>
                  <th scope="col">Age</th>
                  {names.map((name) => (
                    <th key={name} scope="col">
                      {getMetricLabel(name)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {snapshots.map((snapshot) => (
                  <tr key={snapshot.readAt} className="border-t border-rule">
                    <th scope="row" className="font-normal">
                      {formatAge(snapshot, publishedAt)}
                    </th>
                    {names.map((name) => (
                      <td key={name}>
                        {snapshot.metrics[name] ?? <span className="text-muted">{getReasonLabel(snapshot, name)}</span>}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
      <p className="mt-4">
        <Button
          variant="secondary"
          size="small"
          busyLabel={isRunning && "Reading…"}
          onClick={() => void run(() => refreshResults({ studioId: studio.id, publicationId: id }))}
        >
          Read now
        </Button>
      </p>
    </Section>
  );
}
