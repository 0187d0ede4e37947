import { CircleAlert, CircleCheck, CircleDashed, PenLine } from "lucide-react";
import type { Account } from "./use-accounts.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { describeProblem, ProblemList } from "./ProblemList.tsx";

/** The accounts of the studio, with the problems that the post has on each account's platform. */
export function AccountList({
  accounts,
  onOpen,
}: {
  accounts: readonly Account[];
  /** Opens the account's text and preview. */
  onOpen: (connectionId: string) => void;
}) {
  return (
    <ul className="grid gap-3" aria-label="Accounts">
      {accounts.map((account) => (
        <AccountItem key={account.connectionId} account={account} onOpen={() => onOpen(account.connectionId)} />
      ))}
    </ul>
  );
}

function AccountItem({ account, onOpen }: { account: Account; onOpen: () => void }) {
  const { label, platformName, problems } = account;
  const [firstRejection, ...otherRejections] = problems.filter(({ level }) => level === "rejected");
  const notes = problems.filter(({ level }) => level !== "rejected");
  const collapsedProblems = [...otherRejections, ...notes];
  return (
    <li className="min-w-0">
      <div className="flex items-center gap-2.5">
        <StateIcon account={account} />
        <p className="m-0 min-w-0 flex-1 leading-tight">
          <span className="block truncate font-medium" title={`${label}, ${platformName}`}>
            {label} <span className="font-normal text-muted">{platformName}</span>
          </span>
          {!firstRejection && <span className="block text-sm text-muted">{describeReadiness(account)}</span>}
        </p>
        <IconButton icon={PenLine} size="small" label={`Text and preview for ${label}`} onClick={onOpen} />
      </div>
      <div className="pl-6.5">
        {firstRejection && (
          <p className="m-0 text-sm text-danger [overflow-wrap:anywhere]">{describeProblem(firstRejection)}</p>
        )}
        {collapsedProblems.length > 0 && (
          <details>
            <summary className="w-fit cursor-pointer text-sm text-muted pointer-coarse:py-3">
              {countCollapsed(otherRejections.length, notes.length)}
              <span className="sr-only"> for {label}</span>
            </summary>
            <ProblemList problems={collapsedProblems} />
          </details>
        )}
      </div>
    </li>
  );
}

/** Such as "2 more problems, 1 note". */
function countCollapsed(problemCount: number, noteCount: number): string {
  const problems = problemCount === 1 ? "1 more problem" : `${problemCount} more problems`;
  const notes = noteCount === 1 ? "1 note" : `${noteCount} notes`;
  return [problemCount > 0 ? problems : "", noteCount > 0 ? notes : ""].filter((part) => part !== "").join(", ");
}

function StateIcon({ account: { problems, canPublish } }: { account: Account }) {
  if (problems.some(({ level }) => level === "rejected"))
    return <CircleAlert size={16} className="flex-none text-danger" aria-hidden="true" />;
  return canPublish ? (
    <CircleCheck size={16} className="flex-none text-success" aria-hidden="true" />
  ) : (
    <CircleDashed size={16} className="flex-none text-muted" aria-hidden="true" />
  );
}

function describeReadiness({ isAvailable, platformName, problems, obstacle }: Account): string {
  if (!isAvailable)
    return problems.length === 0
      ? `Fits the rules of ${platformName}. Publishing there is not available yet.`
      : `Publishing to ${platformName} is not available yet.`;
  return obstacle ?? `Ready for ${platformName}`;
}
