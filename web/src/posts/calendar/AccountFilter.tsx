import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import { platformsQuery } from "../../api/queries.ts";
import type { Calendar } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { getAccountLabel } from "../../publishing/use-accounts.ts";
import { usePlatformNames } from "../../publishing/use-platform-names.ts";
import { FilterMenu } from "../../ui/FilterMenu.tsx";
import { MenuCheckboxItem, MenuItem, MenuSeparator } from "../../ui/Menu.tsx";

/** Chooses the accounts whose publications the calendar shows. Hidden if there is nothing to choose. */
export function AccountFilter({
  accountIds,
  calendar,
}: {
  /** Empty for all accounts. */
  accountIds: readonly string[];
  /** Undefined while it loads. */
  calendar: Calendar | undefined;
}) {
  const { studio } = useStudio();
  const navigate = useNavigate({ from: "/studios/$studioId/posts" });
  const getPlatformName = usePlatformNames();
  const connections = useQuery(platformsQuery(studio.id)).data?.connections ?? [];
  const accounts = new Map<string, { label: string; platform: string }>();
  for (const connection of connections.filter(({ state }) => state !== "disconnected"))
    accounts.set(connection.id, { label: getAccountLabel(connection), platform: connection.platform });
  // Disconnected accounts still have publications.
  for (const { connectionId, account, platform } of calendar?.entries ?? [])
    if (!accounts.has(connectionId)) accounts.set(connectionId, { label: account, platform });
  if (accounts.size < 2 && accountIds.length === 0) return null;

  /** Changes the ids in the URL, which may be newer than the rendered ones. */
  const changeIds = (change: (ids: readonly string[]) => readonly string[]): void =>
    void navigate({
      search: ({ accounts: currentIds, ...others }) => {
        const ids = change(splitIds(currentIds));
        return ids.length === 0 ? others : { ...others, accounts: ids.join(",") };
      },
      replace: true,
    });
  return (
    <FilterMenu
      name="Accounts"
      icon={Plug}
      valueLabel={describeChoice(accountIds, accounts)}
      menuClassName="w-72"
      onClear={() => changeIds(() => [])}
    >
      {[...accounts].map(([id, { label, platform }]) => (
        <MenuCheckboxItem
          key={id}
          checked={accountIds.includes(id)}
          detail={getPlatformName(platform)}
          onChange={(isChecked) =>
            changeIds((ids) => [...ids.filter((other) => other !== id), ...(isChecked ? [id] : [])])
          }
        >
          {label}
        </MenuCheckboxItem>
      ))}
      <MenuSeparator />
      <MenuItem disabled={accountIds.length === 0} onSelect={() => changeIds(() => [])}>
        All accounts
      </MenuItem>
    </FilterMenu>
  );
}

export const splitIds = (ids = ""): string[] => ids.split(",").filter((id) => id !== "");

function describeChoice(
  [firstId, ...otherIds]: readonly string[],
  accounts: ReadonlyMap<string, { label: string }>,
): string | undefined {
  if (firstId === undefined) return undefined;
  return otherIds.length > 0 ? `${otherIds.length + 1} accounts` : (accounts.get(firstId)?.label ?? "1 account");
}
