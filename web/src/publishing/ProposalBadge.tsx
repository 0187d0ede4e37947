import { usePublicationCounts } from "./use-publication-counts.ts";

/** The number of publications that wait for this user's approval; nothing if none do. */
export function ProposalBadge() {
  const { count, hasMore } = usePublicationCounts().proposals;
  if (count === 0) return null;
  return (
    <span
      title={`${count}${hasMore ? "+" : ""} waiting for approval`}
      className="inline-block min-w-5 rounded-full bg-accent px-1.5 text-center text-xs/5 font-semibold text-accent-ink forced-colors:border"
    >
      {count}
      {hasMore && "+"}
      <span className="sr-only"> waiting for approval</span>
    </span>
  );
}
