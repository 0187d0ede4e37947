import { usePublicationCounts } from "./use-publication-counts.ts";

/**
 * The number of publications that wait for the user, of both kinds that the navigation shows; nothing if none do. It is
 * red if all of them have a problem; if only some do, it has a red dot.
 */
export function TotalBadge() {
  const { proposals, attention } = usePublicationCounts();
  const count = proposals.count + attention.totalCount;
  if (count === 0) return null;
  const parts = [
    proposals.count > 0 && `${formatCount(proposals.count, proposals.hasMore)} waiting for approval`,
    attention.totalCount > 0 &&
      `${formatCount(attention.totalCount, attention.hasMore)} ${attention.totalCount === 1 ? "needs" : "need"} attention`,
  ];
  const dotClasses =
    "after:absolute after:-top-1 after:-right-1 after:size-2 after:rounded-full after:bg-danger after:ring-1 after:ring-paper";
  const colorClasses = proposals.count === 0 ? "bg-danger text-paper" : "bg-accent text-accent-ink";
  return (
    <span
      className={`relative inline-block min-w-4.5 rounded-full px-1 text-center text-xs/4.5 font-semibold forced-colors:border ${colorClasses} ${proposals.count > 0 && attention.totalCount > 0 ? dotClasses : ""}`}
    >
      <span aria-hidden="true">{formatCount(count, proposals.hasMore || attention.hasMore)}</span>
      <span className="sr-only">{parts.filter((part) => part !== false).join(", ")}</span>
    </span>
  );
}

const formatCount = (count: number, hasMore: boolean): string => `${count}${hasMore ? "+" : ""}`;
