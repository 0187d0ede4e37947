import type { Validation } from "../api/queries.ts";

export type AccountProblem = Validation["problems"][number];

const prefixes: Record<AccountProblem["level"], string> = {
  rejected: "Won’t post: ",
  converted: "",
  warning: "Warning: ",
};

/** Whether the post has more files, or more kinds of files, than the platform accepts. */
export const isFileSelectionProblem = ({ code }: Pick<AccountProblem, "code">): boolean =>
  /^(?:too_many_files|too_many_pictures|too_many_videos|too_many_documents)$|^mixed_media/.test(code);

/** The message, with what to do next if the message does not say it. */
export const describeProblem = (problem: Pick<AccountProblem, "code" | "message">): string =>
  isFileSelectionProblem(problem)
    ? `${problem.message} Every account gets all files of a post: remove some, or duplicate the post for this account and remove them from the copy.`
    : problem.message;

/** The problems that a post would have on a platform. */
export function ProblemList({ problems }: { problems: readonly AccountProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="mt-1 list-disc pl-5 text-sm [overflow-wrap:anywhere]">
      {problems.map(({ level, code, message, assetId, assetIds = [assetId] }) => (
        <li key={`${code} ${assetIds.join(" ")}`} className={level === "rejected" ? "text-danger" : "text-muted"}>
          {prefixes[level]}
          {describeProblem({ code, message })}
        </li>
      ))}
    </ul>
  );
}
