import type { Validation } from "../api/queries.ts";

export type AccountProblem = Validation["problems"][number];

const prefixes: Record<AccountProblem["level"], string> = {
  rejected: "Can’t publish: ",
  converted: "",
  warning: "Warning: ",
};

const colors: Record<AccountProblem["level"], string> = {
  rejected: "text-danger",
  converted: "text-muted",
  warning: "text-warning",
};

/** The problems that a post would have on a platform. */
export function ProblemList({ problems }: { problems: readonly AccountProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={`mt-1 text-sm [overflow-wrap:anywhere] ${problems.length > 1 ? "list-disc pl-5" : ""}`}>
      {problems.map(({ level, code, message, assetId, assetIds = [assetId] }) => (
        <li key={`${code} ${assetIds.join(" ")}`} className={colors[level]}>
          {prefixes[level]}
          {message}
        </li>
      ))}
    </ul>
  );
}
