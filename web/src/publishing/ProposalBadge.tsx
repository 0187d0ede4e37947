import { useQuery } from "@tanstack/react-query";
import { proposalCountQuery } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { isOwnRequest } from "./is-own-request.ts";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";

/** The number of publications that wait for this user's approval; nothing if none do. */
export function ProposalBadge() {
  const { count, hasMore } = useProposals();
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

/** How many publications wait for this user's approval: `count`, or more than that. Own requests wait for others. */
export function useProposals(): { count: number; hasMore: boolean } {
  const { studio, me, may } = useStudio();
  const isEnabled = may("publications.approve") && mayPublishWithoutApproval(studio);
  const page = useQuery({ ...proposalCountQuery(studio.id), enabled: isEnabled }).data;
  if (!isEnabled || !page) return { count: 0, hasMore: false };
  const waiting = page.publications.filter((publication) => !isOwnRequest(publication, me.user.id));
  return { count: waiting.length, hasMore: page.nextCursor !== null };
}
