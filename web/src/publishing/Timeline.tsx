import type { PublicationDetail } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatExactTime } from "../ui/format-time.ts";
import { listEvents } from "./list-events.ts";

export function Timeline({ publication }: { publication: PublicationDetail }) {
  const { studio } = useStudio();
  return (
    <ol className="border-l border-rule pl-5" aria-label="Timeline">
      {listEvents(publication).map(({ id, text, at, requestedTime, reason, isProblem }) => (
        <li
          key={id}
          className={`relative not-first:mt-4 [overflow-wrap:anywhere] before:absolute before:top-2 before:-left-[1.5625rem] before:size-2 before:rounded-full ${isProblem ? "before:bg-danger" : "before:bg-muted last:before:bg-accent"}`}
        >
          <p className="m-0">{text}</p>
          {requestedTime !== undefined && (
            <p className="m-0 text-sm">
              {requestedTime.label}{" "}
              <time dateTime={requestedTime.at}>{formatExactTime(requestedTime.at, studio.timezone)}</time>
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
