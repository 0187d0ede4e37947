import type { AccountProblems } from "../api/api-error.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ChoiceField } from "../ui/Field.tsx";
import { formatTime } from "../ui/format-time.ts";
import { ProblemList } from "./ProblemList.tsx";
import type { Account } from "./use-accounts.ts";

/** A checkbox for each account, with the problems that the post has on the account's platform. */
export function AccountChoices({
  accounts,
  rejections,
  chosenIds,
  onChange,
}: {
  accounts: readonly Account[];
  /** Why the server rejected the last attempt, by account. */
  rejections: readonly AccountProblems[];
  chosenIds: readonly string[];
  onChange: (chosenIds: readonly string[]) => void;
}) {
  const { studio } = useStudio();
  return (
    <fieldset className="mt-5">
      <legend className="mb-2 font-semibold">Accounts</legend>
      <ul className="grid gap-3">
        {accounts.map(({ connectionId, label, problems, obstacle, canPublish, ...account }) => (
          <li key={connectionId} className="min-w-0">
            <ChoiceField
              type="checkbox"
              label={label}
              description={describeAccount({ ...account, obstacle }, studio.timezone)}
              className={`[overflow-wrap:anywhere] ${canPublish ? "" : "text-muted"}`}
              checked={chosenIds.includes(connectionId)}
              disabled={!canPublish}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosenIds, connectionId] : chosenIds.filter((id) => id !== connectionId))
              }
            />
            <div className="pl-7">
              <ProblemList
                problems={
                  rejections
                    .find((rejection) => rejection.connectionId === connectionId)
                    ?.problems.map((problem) => ({ ...problem, level: "rejected" as const })) ?? problems
                }
              />
            </div>
          </li>
        ))}
      </ul>
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
  }: Pick<Account, "platformName" | "isAvailable" | "obstacle" | "publishedAt">,
  timezone: string,
): string {
  if (obstacle !== undefined) return isAvailable ? `${platformName}. ${obstacle}` : obstacle;
  if (publishedAt === undefined) return platformName;
  return `${platformName}. Already published: ${formatTime(publishedAt, timezone)}.`;
}
