import { CircleAlert, Info, TriangleAlert, type LucideIcon } from "lucide-react";
import { Fragment, use } from "react";
import type { Validation } from "../api/queries.ts";
import { FileDetailsContext } from "../media/file-details.ts";

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
            <span className="min-w-0 text-pretty">
              <span className="sr-only">{prefix}</span>
              <ProblemText problem={problem} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The most files whose names are shown. The names of many files without alt text would only hide the number. */
const maxNames = 2;

/** On the post page, files without alt text are buttons that open the dialog with the alt text. */
function ProblemText({ problem: { code, message, assetId, assetIds = [] } }: { problem: AccountProblem }) {
  const details = use(FileDetailsContext);
  if (code !== "alt_text_missing") return message;
  const hasManyFiles = assetIds.length > maxNames;
  const ids = assetId === undefined ? assetIds : [assetId];
  const files = details?.assets.filter(({ id }) => ids.includes(id)) ?? [];
  if (!details || files.length !== ids.length)
    return hasManyFiles ? `${assetIds.length} files have no alt text.` : message;
  // The dialog has buttons for the other files of the post.
  const buttons = hasManyFiles
    ? files.slice(0, 1).map(({ id }) => ({ id, label: `${files.length} files` }))
    : files.map(({ id, filename }) => ({ id, label: filename }));
  return (
    <>
      {buttons.map(({ id, label }, i) => (
        <Fragment key={id}>
          {i > 0 && " and "}
          <button
            type="button"
            className="relative cursor-pointer text-left underline hover:no-underline pointer-coarse:-mx-2 pointer-coarse:-my-3.5 pointer-coarse:min-w-11 pointer-coarse:px-2 pointer-coarse:py-3.5"
            onClick={() => details.open(id)}
          >
            {label}
          </button>
        </Fragment>
      ))}
      {files.length === 1 ? " has no alt text." : " have no alt text."}
    </>
  );
}
