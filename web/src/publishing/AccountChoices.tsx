import type { AccountProblems } from "../api/api-error.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ChoiceField } from "../ui/Field.tsx";
import { formatTime } from "../ui/format-time.ts";
import { ChooseFiles } from "./ChooseFiles.tsx";
import { ProblemList } from "./ProblemList.tsx";
import { isSolvedByFewerFiles } from "./suggest-files.ts";
import type { Account } from "./use-accounts.ts";

/** A checkbox for each account, with the problems that the post has on the account's platform. */
export function AccountChoices({
  post,
  accounts,
  rejections,
  chosenIds,
  onChange,
  hint,
}: {
  post: Post;
  accounts: readonly Account[];
  /** Why the server rejected the last attempt, by account. */
  rejections: readonly AccountProblems[];
  chosenIds: readonly string[];
  onChange: (chosenIds: readonly string[]) => void;
  /** What the user has to choose, if anything. */
  hint: string | undefined;
}) {
  const { studio } = useStudio();
  return (
    <fieldset className="mt-5">
      <legend className="mb-2 font-semibold">Accounts</legend>
      <ul className="grid gap-3">
        {accounts.map((account) => {
          const { connectionId, label, canPublish, publishedAt } = account;
          const rejection = rejections.find((each) => each.connectionId === connectionId);
          const problems =
            rejection?.problems.map((problem) => ({ ...problem, level: "rejected" as const })) ?? account.problems;
          const otherIds = chosenIds.filter((id) => id !== connectionId);
          return (
            <li key={connectionId} className="min-w-0">
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
                <ChooseFiles
                  post={post}
                  account={account}
                  isAlwaysShown={problems.some(isSolvedByFewerFiles)}
                  className="mt-2"
                  // The user wanted to select the account, but could not.
                  onSave={() =>
                    onChange(!canPublish && publishedAt === undefined ? [...otherIds, connectionId] : chosenIds)
                  }
                />
              </div>
            </li>
          );
        })}
      </ul>
      <p className="mt-3 mb-0 text-sm text-muted empty:hidden" role="status">
        {hint}
      </p>
    </fieldset>
  );
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
