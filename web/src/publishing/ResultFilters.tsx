import type { PlatformConnection } from "../api/queries.ts";
import { formatAccount } from "../platforms/format-account.ts";
import type { ResultSearch } from "../search-params.ts";
import { SelectField } from "../ui/Field.tsx";
import { formatAge, periodLabels } from "./result-labels.ts";
import { getAccountLabel } from "./use-accounts.ts";
import { usePlatformNames } from "./use-platform-names.ts";

/** Which posts are compared, and at which age. */
export function ResultFilters({
  account,
  connections,
  choices: { age, days, tag },
  ages,
  tags,
  onChange,
}: {
  account: PlatformConnection;
  connections: readonly PlatformConnection[];
  choices: Pick<ResultSearch, "age" | "days" | "tag">;
  ages: readonly number[];
  /** Of the posts. */
  tags: readonly string[];
  onChange: (change: ResultSearch) => void;
}) {
  const getPlatformName = usePlatformNames();
  const shownTags = new Set([...tags, ...(tag === undefined ? [] : [tag])]);
  const getLabel = (connection: PlatformConnection): string =>
    formatAccount(getAccountLabel(connection), getPlatformName(connection.platform));
  return (
    <div className="mb-6 grid grid-cols-2 gap-4 lg:grid-cols-4">
      <div className="min-w-0">
        <SelectField
          label="Account"
          value={account.id}
          options={connections.map((connection) => [connection.id, getLabel(connection)] as const)}
          onChange={({ target }) =>
            onChange({ account: target.value, age: undefined, sort: undefined, tag: undefined })
          }
        />
      </div>
      <div className="min-w-0">
        <SelectField
          label="Age of the posts"
          value={age}
          options={ages.map((value) => [String(value), formatAge(value)] as const)}
          onChange={({ target }) => onChange({ age: target.value })}
        />
      </div>
      <div className="min-w-0">
        <SelectField
          label="Published"
          value={days}
          options={periodLabels}
          onChange={({ target }) => onChange({ days: target.value })}
        />
      </div>
      <div className="min-w-0">
        <SelectField
          label="Tag"
          value={tag ?? ""}
          options={[["", "Any"], ...[...shownTags].map((value) => [value, value] as const)]}
          onChange={({ target }) => onChange({ tag: target.value === "" ? undefined : target.value })}
        />
      </div>
    </div>
  );
}
