import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { clientsQuery, membersQuery, type ActivityFilter } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { SelectField } from "../ui/Field.tsx";
import { actionLabels } from "./labels.ts";

const route = getRouteApi("/studios/$studioId/activity");

export function ActivityFilters({ filter }: { filter: ActivityFilter }) {
  const { studio } = useStudio();
  const members = useQuery(membersQuery(studio.id)).data?.members ?? [];
  const clients = usePagedList({ ...clientsQuery(studio.id, {}), refetchInterval: false }).items;
  const clientNames = new Map(clients.map(({ clientId, clientName }) => [clientId, clientName]));

  return (
    <div className="mb-10 grid grid-cols-1 gap-4 sm:grid-cols-3">
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
      <SelectField
        label={<span className="text-sm font-normal text-muted">{label}</span>}
        value={value ?? ""}
        options={[["", "Any"], ...options]}
        onChange={({ target }) =>
          void navigate({
            search: ({ [name]: _, ...others }) => (target.value === "" ? others : { ...others, [name]: target.value }),
          })
        }
      />
    </div>
  );
}
