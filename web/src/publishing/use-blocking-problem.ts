import { useQuery } from "@tanstack/react-query";
import type { Publication } from "../api/publication-queries.ts";
import { postQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { findBlockingProblem, isWaiting } from "./find-blocking-problem.ts";
import type { AccountProblem } from "./ProblemList.tsx";

/** Loads the post of a publication to find out why its platform would reject it; undefined if it would not. */
export function useBlockingProblem(publication: Publication): AccountProblem | undefined {
  const { studio } = useStudio();
  const { data: post } = useQuery({
    ...postQuery(studio.id, publication.postId),
    enabled: isWaiting(publication),
    staleTime: 0,
  });
  return findBlockingProblem(post, publication);
}
