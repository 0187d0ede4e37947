import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Bot, ListFilter, UserRound } from "lucide-react";
import { clientsQuery, membersQuery, type ActivityFilter } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { FilterRadioMenu } from "../ui/FilterMenu.tsx";
import { MenuLabel, MenuRadioItem } from "../ui/Menu.tsx";
import { ScrollStrip } from "../ui/ScrollStrip.tsx";
import { groupActions } from "./labels.ts";

const route = getRouteApi("/studios/$studioId/activity");

export function ActivityFilters({ filter }: { filter: ActivityFilter }) {
  const { studio } = useStudio();
  const navigate = route.useNavigate();
  const members = useQuery(membersQuery(studio.id)).data?.members;
  const clients = usePagedList(clientsQuery(studio.id, {}));
  const memberNames = new Map(members?.map(({ userId, name }) => [userId, name]));
  const clientNames = new Map(clients.items.map(({ clientId, clientName }) => [clientId, clientName]));
  const actionGroups = groupActions();
  const actionNames = new Map<string, string>(actionGroups.flatMap(([, actions]) => actions));

  const setFilter = (name: keyof ActivityFilter, value: string | undefined) =>
    void navigate({
      search: ({ [name]: _, ...others }) => (value === undefined ? others : { ...others, [name]: value }),
    });

  return (
    <div className="mb-6">
      <ScrollStrip scrolls="phone">
        <div className="flex flex-wrap items-center gap-2 max-sm:flex-none max-sm:flex-nowrap">
          <FilterRadioMenu
            name="Member"
            icon={UserRound}
            value={filter.userId}
            valueLabel={findName(memberNames, filter.userId, members ? "Former member" : "…")}
            anyLabel="Anyone"
            onChange={(userId) => setFilter("userId", userId)}
          >
            {renderItems([...memberNames])}
          </FilterRadioMenu>
          <FilterRadioMenu
            name="AI client"
            icon={Bot}
            value={filter.clientId}
            valueLabel={findName(clientNames, filter.clientId, clients.query.isSuccess ? "Another client" : "…")}
            anyLabel="All AI clients"
            onChange={(clientId) => setFilter("clientId", clientId)}
          >
            {renderItems([...clientNames])}
          </FilterRadioMenu>
          <FilterRadioMenu
            name="Action"
            icon={ListFilter}
            value={filter.action}
            valueLabel={findName(actionNames, filter.action, "Another action")}
            anyLabel="All actions"
            menuClassName="w-72"
            onChange={(action) => setFilter("action", action)}
          >
            {actionGroups.map(([label, actions]) => (
              <div key={label} role="group" aria-label={label}>
                <MenuLabel>{label}</MenuLabel>
                {renderItems(actions)}
              </div>
            ))}
          </FilterRadioMenu>
        </div>
      </ScrollStrip>
    </div>
  );
}

/** Returns `otherName` for a value without a name, such as that of a former member. */
const findName = (
  names: ReadonlyMap<string, string>,
  value: string | undefined,
  otherName: string,
): string | undefined => (value === undefined ? undefined : (names.get(value) ?? otherName));

const renderItems = (items: readonly (readonly [value: string, label: string])[]) =>
  items.map(([value, label]) => (
    <MenuRadioItem key={value} value={value}>
      {label}
    </MenuRadioItem>
  ));
