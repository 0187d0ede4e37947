import type { PlatformInfo } from "../platform.ts";
import type { PostLimits } from "../platform-limits.ts";
import { findLengthProblems, type TextCheck } from "./find-text-problems.ts";

interface FollowUpProblem {
  level: "rejected" | "warning";
  code: string;
  message: string;
}

/** Why the platform would reject the follow-ups of a post. Each part counts in the platform's units; `runCheck` counts it. */
export async function findFollowUpProblems(
  { name, canReply }: Pick<PlatformInfo, "name" | "canReply">,
  limits: PostLimits,
  followUps: readonly string[],
  runCheck: (check: () => TextCheck, text: string, index: number) => Promise<TextCheck>,
): Promise<FollowUpProblem[]> {
  if (followUps.length === 0) return [];
  if (!canReply) {
    const message = `Atelier can’t publish replies on ${name}, so the post can’t have follow-ups there.`;
    return [{ level: "rejected", code: "follow_ups_unsupported", message }];
  }
  const level = limits.variesByInstance ? "warning" : "rejected";
  const findPartProblems = async (text: string, i: number): Promise<FollowUpProblem[]> => {
    const label = `Part ${i + 2}`;
    if (text.trim() === "") return [{ level: "rejected", code: "follow_up_empty", message: `${label} is empty.` }];
    const check = (): TextCheck => ({
      length: undefined,
      problems: findLengthProblems("follow_up", label, text, limits.text, limits),
    });
    return (await runCheck(check, text, i)).problems.map((problem) => ({ ...problem, level }));
  };
  const problems: FollowUpProblem[] = [];
  for (const [i, text] of followUps.entries()) problems.push(...(await findPartProblems(text, i)));
  return problems;
}
