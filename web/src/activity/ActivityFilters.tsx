import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { clientsQuery, membersQuery, type ActivityFilter } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { groupActions } from "./labels.ts";

const route = getRouteApi("/studios/$studioId/activity");

type Option = readonly [value: string, label: string];

export function ActivityFilters({ filter }: { filter: ActivityFilter }) {
  const { studio } = useStudio();
  const members = useQuery(membersQuery(studio.id)).data?.members;
  const clients = usePagedList({ ...clientsQuery(studio.id, {}), refetchInterval: false });
  const clientNames = new Map(clients.items.map(({ clientId, clientName }) => [clientId, clientName]));

  const isFiltered = Object.keys(filter).length > 0;

  return (
    <div
      className={`mb-6 grid grid-cols-2 items-end gap-3 ${isFiltered ? "sm:grid-cols-[repeat(3,minmax(0,1fr))_auto]" : "sm:grid-cols-3"}`}
    >
      <FilterSelect
        name="userId"
        label="Member"
        value={filter.userId}
        options={(members ?? []).map(({ userId, name }) => [userId, name])}
        otherLabel={members ? "Former member" : "…"}
      />
      <FilterSelect
        name="clientId"
        label="AI client"
        value={filter.clientId}
        options={[...clientNames]}
        otherLabel={clients.query.isSuccess ? "Another client" : "…"}
      />
      <FilterSelect name="action" label="Action" value={filter.action} groups={groupActions()} />
      {isFiltered && (
        <ButtonLink
          variant="quiet"
          to="/studios/$studioId/activity"
          params={{ studioId: studio.id }}
          className="max-sm:col-span-2"
        >
          Clear filters
        </ButtonLink>
      )}
    </div>
  );
}

function FilterSelect({
  name,
  label,
  value,
  options = [],
  otherLabel,
  groups = [],
}: {
  name: keyof ActivityFilter;
  label: string;
  value: string | undefined;
  options?: readonly Option[];
  /** Shown for a value that is not among the options, such as that of a former member. */
  otherLabel?: string;
  groups?: readonly (readonly [label: string, options: readonly Option[]])[];
}) {
  const navigate = route.useNavigate();
  return (
    <div className="min-w-0 max-sm:nth-3:col-span-2">
      <Field label={<span className="text-sm font-normal text-muted">{label}</span>}>
        {(control) => (
          <select
            {...control}
            value={value ?? ""}
            onChange={({ target }) =>
              void navigate({
                search: ({ [name]: _, ...others }) =>
                  target.value === "" ? others : { ...others, [name]: target.value },
              })
            }
          >
            <option value="">Any</option>
            <Options options={options} />
            {otherLabel !== undefined && value !== undefined && !options.some(([known]) => known === value) && (
              <option value={value}>{otherLabel}</option>
            )}
            {groups.map(([groupLabel, groupOptions]) => (
              <optgroup key={groupLabel} label={groupLabel}>
                <Options options={groupOptions} />
              </optgroup>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

const Options = ({ options }: { options: readonly Option[] }) =>
  options.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
