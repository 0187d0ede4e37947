import { CircleAlert, CircleCheck, CircleDashed, PenLine, TriangleAlert } from "lucide-react";
import { hasContent, type Account } from "./use-accounts.ts";
import { IconButton } from "../ui/IconButton.tsx";
import type { Post } from "../api/queries.ts";
import { ChooseFiles } from "./ChooseFiles.tsx";
import { ProblemList, type AccountProblem } from "./ProblemList.tsx";
import { isSolvedByFewerFiles } from "./suggest-files.ts";

/** The accounts of the studio, with the problems that the post has on each account's platform. */
export function AccountList({
  post,
  accounts,
  onOpen,
}: {
  post: Post;
  accounts: readonly Account[];
  /** Opens the account's text and preview. */
  onOpen: (connectionId: string) => void;
}) {
  return (
    <ul className="grid gap-3" aria-label="Accounts">
      {accounts.map((account) => (
        <AccountItem
          key={account.connectionId}
          post={post}
          account={account}
          onOpen={() => onOpen(account.connectionId)}
        />
      ))}
    </ul>
  );
}

function AccountItem({ post, account, onOpen }: { post: Post; account: Account; onOpen: () => void }) {
  const { label, platformName, problems } = account;
  const shownProblems = listShownProblems(problems);
  const collapsedProblems = problems.filter((problem) => !shownProblems.includes(problem));
  const otherRejections = collapsedProblems.filter(({ level }) => level === "rejected");
  const notes = collapsedProblems.filter(({ level }) => level !== "rejected");
  // A shown problem says more than that the account is ready.
  const hasReadiness = shownProblems.length === 0 || (account.obstacle !== undefined && !isRejected(account));
  return (
    <li className="min-w-0">
      <div className="flex items-center gap-2.5">
        <StateIcon account={account} />
        <p className="m-0 min-w-0 flex-1 leading-tight">
          <span className="block truncate font-medium" title={`${label}, ${platformName}`}>
            {label} <span className="font-normal text-muted">{platformName}</span>
          </span>
          {hasReadiness && <span className="block text-sm text-muted">{describeReadiness(post, account)}</span>}
        </p>
        <IconButton icon={PenLine} size="small" label={`Text and preview for ${label}`} onClick={onOpen} />
      </div>
      <div className="pl-6.5">
        {shownProblems.map(({ level, code, message }) => (
          <p
            key={code}
            className={`m-0 text-sm [overflow-wrap:anywhere] ${level === "rejected" ? "text-danger" : "text-warning"}`}
          >
            {level === "warning" && "Warning: "}
            {message}
          </p>
        ))}
        <ChooseFiles post={post} account={account} className="my-2" />
        {collapsedProblems.length > 0 && (
          <details>
            <summary className="w-fit cursor-pointer text-sm text-muted pointer-coarse:py-3">
              {countCollapsed(otherRejections.length, notes.length)}
              <span className="sr-only"> for {label}</span>
            </summary>
            <ProblemList problems={[...otherRejections, ...notes]} />
          </details>
        )}
      </div>
    </li>
  );
}

/** The first rejection, and the first problem that the button below it solves. */
function listShownProblems(problems: readonly AccountProblem[]): AccountProblem[] {
  const firstRejection = problems.find(({ level }) => level === "rejected");
  if (firstRejection && isSolvedByFewerFiles(firstRejection)) return [firstRejection];
  const fileProblem =
    problems.find((problem) => problem.level === "rejected" && isSolvedByFewerFiles(problem)) ??
    problems.find(isSolvedByFewerFiles);
  return [firstRejection, fileProblem].filter((problem) => problem !== undefined);
}

const isRejected = ({ problems }: Account): boolean => problems.some(({ level }) => level === "rejected");

/** Such as "2 more problems, 1 note". */
function countCollapsed(problemCount: number, noteCount: number): string {
  const problems = problemCount === 1 ? "1 more problem" : `${problemCount} more problems`;
  const notes = noteCount === 1 ? "1 note" : `${noteCount} notes`;
  return [problemCount > 0 ? problems : "", noteCount > 0 ? notes : ""].filter((part) => part !== "").join(", ");
}

function StateIcon({ account }: { account: Account }) {
  if (isRejected(account)) return <CircleAlert size={16} className="flex-none text-danger" aria-hidden="true" />;
  if (account.problems.some(isSolvedByFewerFiles))
    return <TriangleAlert size={16} className="flex-none text-warning" aria-hidden="true" />;
  return account.canPublish ? (
    <CircleCheck size={16} className="flex-none text-success" aria-hidden="true" />
  ) : (
    <CircleDashed size={16} className="flex-none text-muted" aria-hidden="true" />
  );
}

function describeReadiness(
  post: Post,
  { connectionId, isAvailable, platformName, problems, obstacle, fileChoice }: Account,
): string {
  if (!isAvailable)
    return problems.length === 0 && hasContent(post, connectionId)
      ? `Fits the rules of ${platformName}. Publishing there is not available yet.`
      : `Publishing to ${platformName} is not available yet.`;
  return obstacle ?? `Ready for ${platformName}${fileChoice === undefined ? "" : `, ${fileChoice}`}`;
}
