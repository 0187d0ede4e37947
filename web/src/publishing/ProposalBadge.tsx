import { useProposalCount } from "./use-proposal-count.ts";

/** The number of publications that wait for this user's approval; nothing if none do. */
export function ProposalBadge() {
  const count = useProposalCount();
  if (count === undefined) return null;
  return (
    <span className="inline-block min-w-5 rounded-full bg-accent px-1.5 text-center text-xs/5 font-semibold text-accent-ink forced-colors:border">
      {count}
      <span className="sr-only"> waiting for approval</span>
    </span>
  );
}
