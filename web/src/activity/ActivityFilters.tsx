import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { clientsQuery, membersQuery, type ActivityFilter } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { actionLabels } from "./labels.ts";

const route = getRouteApi("/studios/$studioId/activity");

export function ActivityFilters({ filter }: { filter: ActivityFilter }) {
  const { studio } = useStudio();
  const members = useQuery(membersQuery(studio.id)).data?.members ?? [];
  const clients = useInfiniteQuery({ ...clientsQuery(studio.id, {}), refetchInterval: false }).data?.pages ?? [];
  const clientNames = new Map(
    clients.flatMap((page) => page.clients).map(({ clientId, clientName }) => [clientId, clientName]),
  );

  return (
    <div className="filters">
      <FilterSelect
        name="userId"
        label="Member"
        value={filter.userId}
        options={members.map(({ userId, name }) => [userId, name])}
      />
      <FilterSelect name="clientId" label="AI client" value={filter.clientId} options={[...clientNames]} />
      <FilterSelect
        name="action"
        label="Action"
        value={filter.action}
        options={Object.entries(actionLabels).map(([action, { filterLabel }]) => [action, filterLabel])}
      />
    </div>
  );
}

function FilterSelect({
  name,
  label,
  value,
  options,
}: {
  name: keyof ActivityFilter;
  label: string;
  value: string | undefined;
  options: readonly (readonly [string, string])[];
}) {
  const navigate = route.useNavigate();
  return (
    <div className="min-w-0">
      <label htmlFor={`filter-${name}`} className="text-sm font-normal text-muted">
        {label}
      </label>
      <select
        id={`filter-${name}`}
        value={value ?? ""}
        onChange={({ target }) =>
          void navigate({
            search: ({ [name]: _, ...others }) => (target.value === "" ? others : { ...others, [name]: target.value }),
          })
        }
      >
        <option value="">Any</option>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
