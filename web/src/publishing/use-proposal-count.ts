import { useQuery } from "@tanstack/react-query";
import { proposalCountQuery } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mayPublish } from "./may-publish.ts";

/** How many publications wait for this user's approval ("3", "100+"); undefined if none do. */
export function useProposalCount(): string | undefined {
  const { studio, may } = useStudio();
  const isEnabled = may("publications.approve") && mayPublish(studio);
  const page = useQuery({ ...proposalCountQuery(studio.id), enabled: isEnabled }).data;
  if (!isEnabled || !page || page.publications.length === 0) return undefined;
  return `${page.publications.length}${page.nextCursor === null ? "" : "+"}`;
}
