import { usePublicationCounts } from "./use-publication-counts.ts";

/** The number of publications that need a person's attention; nothing if none do. */
export function AttentionBadge() {
  const { totalCount, hasMore } = usePublicationCounts().attention;
  if (totalCount === 0) return null;
  const label = totalCount === 1 ? "needs attention" : "need attention";
  return (
    <span
      title={`${totalCount}${hasMore ? "+" : ""} ${label}`}
      className="inline-block min-w-5 rounded-full bg-danger-wash px-1.5 text-center text-xs/5 font-semibold text-danger forced-colors:border"
    >
      {totalCount}
      {hasMore && "+"}
      <span className="sr-only"> {label}</span>
    </span>
  );
}
