import type { PlatformInfo } from "../platform.ts";
import type { PostLimits } from "../platform-limits.ts";
import { findLengthProblems } from "./find-text-problems.ts";

interface FollowUpProblem {
  level: "rejected" | "warning";
  code: string;
  message: string;
}

/** Why the platform would reject the follow-ups of a post. Each part counts in the platform's units. */
export function findFollowUpProblems(
  { name, canReply }: Pick<PlatformInfo, "name" | "canReply">,
  limits: PostLimits,
  followUps: readonly string[],
): FollowUpProblem[] {
  if (followUps.length === 0) return [];
  if (!canReply) {
    const message = `Atelier can’t publish replies on ${name}, so the post can’t have follow-ups there.`;
    return [{ level: "rejected", code: "follow_ups_unsupported", message }];
  }
  return followUps.flatMap((text, i): FollowUpProblem[] => {
    const label = `Part ${i + 2}`;
    if (text.trim() === "") return [{ level: "rejected", code: "follow_up_empty", message: `${label} is empty.` }];
    const level = limits.variesByInstance ? "warning" : "rejected";
    return findLengthProblems("follow_up", label, text, limits.text, limits).map((problem) => ({ ...problem, level }));
  });
}
