import { useState } from "react";
import { formatRelativeTime } from "./format-relative-time.ts";
import { formatExactTime } from "./format-time.ts";
import { useNow } from "./use-now.ts";

/**
 * A relative time, with the exact time as a tooltip. The exact time is formatted only once the pointer is over it:
 * formatting the first date takes a tenth of the CPU time of a page.
 */
export function RelativeTime({ at, timezone }: { at: string; timezone?: string }) {
  const relativeTime = useNow((now) => formatRelativeTime(Date.parse(at), now));
  const [wasHovered, setWasHovered] = useState(false);
  return (
    <time
      dateTime={at}
      title={wasHovered ? formatExactTime(at, timezone) : undefined}
      onPointerEnter={() => setWasHovered(true)}
    >
      {relativeTime}
    </time>
  );
}
