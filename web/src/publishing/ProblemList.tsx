import { CircleAlert, Info, TriangleAlert, type LucideIcon } from "lucide-react";
import type { Validation } from "../api/queries.ts";

export type AccountProblem = Validation["problems"][number];

/** The icon says the same as the prefix, which only screen readers read. */
const levels: Record<AccountProblem["level"], { prefix: string; icon: LucideIcon; color: string }> = {
  rejected: { prefix: "Can’t publish: ", icon: CircleAlert, color: "text-danger" },
  converted: { prefix: "", icon: Info, color: "text-muted" },
  warning: { prefix: "Warning: ", icon: TriangleAlert, color: "text-warning" },
};

/** The problems that a post would have on a platform. */
export function ProblemList({
  problems,
  className = "mt-1",
}: {
  problems: readonly AccountProblem[];
  className?: string;
}) {
  if (problems.length === 0) return null;
  return (
    <ul className={`grid gap-1 text-sm [overflow-wrap:anywhere] ${className}`}>
      {problems.map((problem) => {
        const { prefix, icon: Icon, color } = levels[problem.level];
        const { code, assetId, assetIds = [assetId] } = problem;
        return (
          <li key={`${code} ${assetIds.join(" ")}`} className={`flex gap-1.5 ${color}`}>
            <Icon size={14} className="mt-[0.2em] flex-none" aria-hidden="true" />
            <span className="min-w-0">
              <span className="sr-only">{prefix}</span>
              {describeProblem(problem)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The server names two of the files. The names of many files without alt text would only hide the number. */
const describeProblem = ({ code, message, assetIds = [] }: AccountProblem): string =>
  code === "alt_text_missing" && assetIds.length > 2 ? `${assetIds.length} files have no alt text.` : message;
