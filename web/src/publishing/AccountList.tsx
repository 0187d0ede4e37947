import { Eye } from "lucide-react";
import { useState } from "react";
import type { Post } from "../api/queries.ts";
import { Button } from "../ui/Button.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { cardListClasses, List } from "../ui/List.tsx";
import { ChooseFiles } from "./ChooseFiles.tsx";
import { ProblemList, type AccountProblem } from "./ProblemList.tsx";
import { PublishingRow, rowNameClasses } from "./PublishingRow.tsx";
import { OutlineBadge } from "./StateBadge.tsx";
import { hasContent, type Account } from "./use-accounts.ts";
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
  const [isExpanded, setIsExpanded] = useState(false);
  if (accounts.length === 0) return null;
  const firstAccounts = selectFirst(accounts);
  const hiddenAccounts = accounts.filter((account) => !firstAccounts.includes(account));
  return (
    <>
      <List className={cardListClasses} aria-label="Accounts">
        {(isExpanded ? accounts : firstAccounts).map((account) => (
          <AccountItem
            key={account.connectionId}
            post={post}
            account={account}
            onOpen={() => onOpen(account.connectionId)}
          />
        ))}
      </List>
      {hiddenAccounts.length > 0 && (
        <Button
          variant="quiet"
          size="small"
          className="mt-1.5"
          aria-expanded={isExpanded}
          onClick={() => setIsExpanded(!isExpanded)}
        >
          {isExpanded ? "Show fewer accounts" : describeHidden(hiddenAccounts)}
        </Button>
      )}
    </>
  );
}

/** Shows this many if at least two more would be hidden. */
const maxAccounts = 4;

/** Prefers accounts that the post can be published to, or whose problem a button in the row solves. Keeps the order. */
function selectFirst(accounts: readonly Account[]): readonly Account[] {
  if (accounts.length <= maxAccounts + 1) return accounts;
  const isPreferred = (account: Account): boolean =>
    account.canPublish || (account.isAvailable && account.problems.some(isSolvedByFewerFiles));
  const sortedAccounts = [...accounts.filter(isPreferred), ...accounts.filter((account) => !isPreferred(account))];
  const firstAccounts = sortedAccounts.slice(0, maxAccounts);
  return accounts.filter((account) => firstAccounts.includes(account));
}

/** Such as "Show 6 more accounts (2 can’t take this post)". */
function describeHidden(accounts: readonly Account[]): string {
  const rejectedCount = accounts.filter(isRejected).length;
  return `Show ${accounts.length} more accounts${rejectedCount === 0 ? "" : ` (${rejectedCount} can’t take this post)`}`;
}

function AccountItem({ post, account, onOpen }: { post: Post; account: Account; onOpen: () => void }) {
  const { label, platformName, fileChoice, problems } = account;
  const shownProblems = listShownProblems(problems);
  const collapsedProblems = problems.filter((problem) => !shownProblems.includes(problem));
  const otherRejections = collapsedProblems.filter(({ level }) => level === "rejected");
  const notes = collapsedProblems.filter(({ level }) => level !== "rejected");
  const obstacle = isRejected(account) ? undefined : describeObstacle(post, account);
  return (
    <PublishingRow
      name={
        <button
          type="button"
          className={`${rowNameClasses} inline-flex cursor-pointer items-center gap-1.5 text-left pointer-coarse:-my-2.5 pointer-coarse:py-2.5`}
          aria-label={`Text and preview for ${label}`}
          onClick={onOpen}
        >
          {label}
          <Eye size={14} className="flex-none text-muted" aria-hidden="true" />
        </button>
      }
      badge={post.status !== "archived" && <OutlineBadge {...getReadiness(account)} />}
      details={[platformName, ...(fileChoice === undefined ? [] : [fileChoice])]}
    >
      {obstacle !== undefined && <p className="m-0 text-sm">{obstacle}</p>}
      <ProblemList problems={shownProblems} className="m-0" />
      <ChooseFiles post={post} account={account} className="justify-self-start" />
      {collapsedProblems.length > 0 && (
        <Disclosure
          summary={
            <>
              {countCollapsed(otherRejections.length, notes.length)}
              <span className="sr-only"> for {label}</span>
            </>
          }
        >
          <ProblemList problems={[...otherRejections, ...notes]} />
        </Disclosure>
      )}
    </PublishingRow>
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

function getReadiness(account: Account): { label: string; color: string } {
  if (isRejected(account)) return { label: "Can’t publish", color: "text-danger" };
  if (!account.isAvailable) return { label: "Not available yet", color: "text-muted" };
  if (!account.canPublish) return { label: "Can’t publish yet", color: "text-muted" };
  return account.problems.some(isSolvedByFewerFiles)
    ? { label: "Warning", color: "text-warning" }
    : { label: "Can publish", color: "text-success" };
}

/** Why the post can't be published to the account now; undefined if it can, or if the badge says it all. */
function describeObstacle(post: Post, { connectionId, isAvailable, problems, obstacle }: Account): string | undefined {
  if (isAvailable) return obstacle;
  return problems.length === 0 && hasContent(post, connectionId) ? "The post fits the platform’s rules." : undefined;
}
