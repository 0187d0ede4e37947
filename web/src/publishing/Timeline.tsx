import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { listEvents } from "./list-events.ts";
import { formatZonedTime } from "./zoned-time.ts";

export function Timeline({ publication }: { publication: Publication }) {
  const { studio } = useStudio();
  return (
    <ol className="border-l border-rule pl-5" aria-label="Timeline">
      {listEvents(publication).map(({ text, at, detail }) => (
        <li
          key={text}
          className="relative not-first:mt-4 [overflow-wrap:anywhere] before:absolute before:top-2 before:-left-[1.5625rem] before:size-2 before:rounded-full before:bg-muted last:before:bg-accent"
        >
          <p className="m-0">{text}</p>
          {at !== undefined && (
            <p className="m-0 text-sm text-muted">
              <time dateTime={at}>{formatZonedTime(at, studio.timezone)}</time>
            </p>
          )}
          {detail !== undefined && <p className="m-0 text-sm text-danger">{detail}</p>}
        </li>
      ))}
    </ol>
  );
}
