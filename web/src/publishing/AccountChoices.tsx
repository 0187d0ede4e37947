import { useState } from "react";
import type { AccountProblems } from "../api/api-error.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { DisclosureChevron, disclosureClasses } from "../ui/Disclosure.tsx";
import { ChoiceField } from "../ui/Field.tsx";
import { formatTime } from "../ui/format-time.ts";
import { AccountExtras } from "./AccountExtras.tsx";
import { ChooseFiles } from "./ChooseFiles.tsx";
import { ProblemList, type AccountProblem } from "./ProblemList.tsx";
import { isSolvedByFewerFiles } from "./suggest-files.ts";
import type { Account } from "./use-accounts.ts";

/** With at most this many accounts, all of them are shown. */
const maxUngrouped = 3;

/** A checkbox for each account, with the problems that the post has on the account's platform. */
export function AccountChoices({
  post,
  accounts,
  rejections,
  chosenIds,
  shownIds,
  onChange,
  onSaveFiles,
  hint,
}: {
  post: Post;
  accounts: readonly Account[];
  /** Why the server rejected the last attempt, by account. */
  rejections: readonly AccountProblems[];
  chosenIds: readonly string[];
  /** The accounts that are always shown; others that can't be chosen are collapsed if there are many accounts. */
  shownIds: readonly string[];
  onChange: (chosenIds: readonly string[]) => void;
  /** Called when the user has chosen the files of an account. */
  onSaveFiles: (savedPost: Post) => void;
  /** What the user has to choose, if anything. */
  hint: string | undefined;
}) {
  const [isExpanded, setIsExpanded] = useState(false);
  const [firstAccounts, otherAccounts] = groupAccounts(accounts, shownIds);
  const sharedProblems = listSharedProblems(accounts);
  const renderAccount = (account: Account) => (
    <AccountChoice
      key={account.connectionId}
      post={post}
      account={account}
      problems={listProblems(account, rejections, sharedProblems)}
      chosenIds={chosenIds}
      onChange={onChange}
      onSaveFiles={onSaveFiles}
    />
  );
  return (
    <fieldset className="mt-5">
      {/* Beside the hint, so that the accounts don't move when the user chooses the first one. */}
      <legend className="float-left mr-2.5 mb-2 font-semibold">Accounts</legend>
      <p className="m-0 text-warning" role="status">
        {hint}
      </p>
      <ul className="clear-both grid gap-3">
        {/* One array, so that an account that moves to the first ones keeps its state and the focus. */}
        {[
          ...firstAccounts.map(renderAccount),
          otherAccounts.length > 0 && (
            <li key="others">
              <button
                type="button"
                className={disclosureClasses}
                aria-expanded={isExpanded}
                onClick={() => setIsExpanded(!isExpanded)}
              >
                <DisclosureChevron />
                {describeOthers(otherAccounts)}
              </button>
            </li>
          ),
          ...(isExpanded ? otherAccounts.map(renderAccount) : []),
        ]}
      </ul>
      <ProblemList problems={sharedProblems} className="mt-3" />
    </fieldset>
  );
}

function AccountChoice({
  post,
  account,
  problems,
  chosenIds,
  onChange,
  onSaveFiles,
}: {
  post: Post;
  account: Account;
  problems: readonly AccountProblem[];
  chosenIds: readonly string[];
  onChange: (chosenIds: readonly string[]) => void;
  onSaveFiles: (savedPost: Post) => void;
}) {
  const { studio } = useStudio();
  const { connectionId, label, canPublish, hasOpenPublication, publishedAt } = account;
  const otherIds = chosenIds.filter((id) => id !== connectionId);
  function handleSave(savedPost: Post): void {
    onSaveFiles(savedPost);
    // The user wanted to select the account, but could not.
    onChange(!canPublish && publishedAt === undefined ? [...otherIds, connectionId] : chosenIds);
  }
  return (
    <li className="min-w-0">
      <ChoiceField
        type="checkbox"
        label={label}
        description={describeAccount(account, studio.timezone)}
        className="[overflow-wrap:anywhere]"
        checked={chosenIds.includes(connectionId)}
        disabled={!canPublish}
        onChange={({ target }) => onChange(target.checked ? [...otherIds, connectionId] : otherIds)}
      />
      <div className="pl-7">
        <ProblemList problems={problems} />
        {!hasOpenPublication && (
          <ChooseFiles
            post={post}
            account={account}
            isAlwaysShown={problems.some(isSolvedByFewerFiles)}
            className="mt-2"
            onSave={handleSave}
          />
        )}
        {!hasOpenPublication && problems.some(({ code }) => code.endsWith("option_missing")) && (
          <AccountExtras post={post} account={account} hasThread={false} onSave={handleSave} />
        )}
      </div>
    </li>
  );
}

/** Puts several accounts that can't be chosen after the others, unless there are few accounts or none can be chosen. */
function groupAccounts(
  accounts: readonly Account[],
  shownIds: readonly string[],
): [firstAccounts: readonly Account[], otherAccounts: readonly Account[]] {
  const isShown = ({ canPublish, connectionId }: Account): boolean => canPublish || shownIds.includes(connectionId);
  const firstAccounts = accounts.filter(isShown);
  const otherAccounts = accounts.filter((account) => !isShown(account));
  const isGrouped = accounts.length > maxUngrouped && firstAccounts.length > 0 && otherAccounts.length > 1;
  return isGrouped ? [firstAccounts, otherAccounts] : [accounts, []];
}

/** Codes of the problems that don't depend on the platform. */
const sharedCodes = ["alt_text_missing", "image_unchecked"];

/** What applies to all accounts that can be chosen, if there are several. It is shown only once. */
function listSharedProblems(accounts: readonly Account[]): AccountProblem[] {
  const [first, ...others] = accounts.filter(({ canPublish }) => canPublish);
  if (!first || others.length === 0) return [];
  return first.problems.filter(
    ({ code, message }) =>
      sharedCodes.includes(code) &&
      others.every(({ problems }) => problems.some((problem) => problem.message === message)),
  );
}

/** The problems that matter for the choice: notes about an account that can't be chosen do not. */
function listProblems(
  { connectionId, canPublish, problems }: Account,
  rejections: readonly AccountProblems[],
  sharedProblems: readonly AccountProblem[],
): AccountProblem[] {
  const rejection = rejections.find((each) => each.connectionId === connectionId);
  if (rejection) return rejection.problems.map((problem) => ({ ...problem, level: "rejected" as const }));
  return problems.filter(({ level, message }) =>
    canPublish ? sharedProblems.every((problem) => problem.message !== message) : level === "rejected",
  );
}

/** Such as "4 accounts can’t take this post, 3 already have a publication". */
function describeOthers(accounts: readonly Account[]): string {
  const openCount = accounts.filter(({ hasOpenPublication }) => hasOpenPublication).length;
  const blockedCount = accounts.length - openCount;
  const open = openCount === 1 ? "already has a publication" : "already have a publication";
  const formatAccounts = (count: number): string => (count === 1 ? "1 account" : `${count} accounts`);
  if (blockedCount === 0) return `${formatAccounts(openCount)} ${open}`;
  const blocked = `${formatAccounts(blockedCount)} can’t take this post`;
  return openCount === 0 ? blocked : `${blocked}, ${openCount} ${open}`;
}

/** Omits the platform's name if the platform is not available, because the obstacle already names it. */
function describeAccount(
  {
    platformName,
    isAvailable,
    obstacle,
    publishedAt,
    fileChoice,
  }: Pick<Account, "platformName" | "isAvailable" | "obstacle" | "publishedAt" | "fileChoice">,
  timezone: string,
): string {
  if (obstacle !== undefined) return isAvailable ? `${platformName}. ${obstacle}` : obstacle;
  const content = fileChoice === undefined ? platformName : `${platformName}, ${fileChoice}`;
  if (publishedAt === undefined) return content;
  return `${content}. Already published: ${formatTime(publishedAt, timezone)}.`;
}
