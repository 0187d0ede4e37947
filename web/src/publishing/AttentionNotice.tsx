import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { Notice } from "../ui/Notice.tsx";
import { usePublicationCounts } from "./use-publication-counts.ts";

/** Counts publications with a problem that only a person can solve. */
export function AttentionNotice() {
  const { studio } = useStudio();
  const { kinds, totalCount, hasMore } = usePublicationCounts().attention;
  if (totalCount === 0) return null;
  return (
    <Notice tone="warning">
      {totalCount === 1 && !hasMore
        ? "1 publication needs your attention: "
        : `${totalCount}${hasMore ? "+" : ""} publications need your attention: `}
      {kinds.map(({ label, search, count, hasMore: hasMoreOfKind }, index) => (
        <Fragment key={label}>
          {index > 0 && ", "}
          <Link
            // As an inline element, its padding enlarges the target without moving the text.
            className="font-medium whitespace-nowrap pointer-coarse:py-3"
            to="/studios/$studioId/publications"
            params={{ studioId: studio.id }}
            search={search}
          >
            {count}
            {hasMoreOfKind && "+"} {label}
          </Link>
        </Fragment>
      ))}
    </Notice>
  );
}
