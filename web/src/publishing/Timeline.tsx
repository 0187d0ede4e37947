import type { PublicationDetail } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatExactTime } from "../ui/format-time.ts";
import { listEvents } from "./list-events.ts";

export function Timeline({ publication }: { publication: PublicationDetail }) {
  const { studio } = useStudio();
  return (
    <ol className="pl-5" aria-label="Timeline">
      {listEvents(publication).map(({ id, text, at, requestedTime, reason, isProblem, isNext }) => (
        <li
          key={id}
          className={`relative not-first:mt-4 [overflow-wrap:anywhere] before:absolute before:top-2 before:-left-5 before:size-2 before:rounded-full after:absolute after:top-4 after:-bottom-6 after:-left-[1.03125rem] after:w-px after:bg-rule last:after:hidden ${getDotClasses(isProblem, isNext)}`}
        >
          <p className="m-0">{text}</p>
          {requestedTime !== undefined && (
            <p className="m-0 text-sm">
              For <time dateTime={requestedTime}>{formatExactTime(requestedTime, studio.timezone)}</time>
            </p>
          )}
          {reason !== undefined && <p className="m-0 text-sm text-danger">{reason}</p>}
          {at !== undefined && (
            <p className="m-0 text-sm text-muted">
              <time dateTime={at}>{formatExactTime(at, studio.timezone)}</time>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function getDotClasses(isProblem: boolean, isNext = false): string {
  if (isNext) return "before:border-2 before:border-warning";
  return isProblem ? "before:bg-danger" : "before:bg-muted last:before:bg-accent";
}
