import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChartColumn, Download, Plug } from "lucide-react";
import { accountResultsQuery, type ComparedPost } from "../api/planning-queries.ts";
import { platformsQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatAccount } from "../platforms/format-account.ts";
import type { ResultSearch } from "../search-params.ts";
import { countTags } from "../tags/count-tags.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { SelectField } from "../ui/Field.tsx";
import { Notice } from "../ui/Notice.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { formatAge, getMetricLabel, periodLabels } from "./result-labels.ts";
import { formatResultsCsv, saveFile } from "./results-csv.ts";
import { ResultsTable } from "./ResultsTable.tsx";
import { getAccountLabel } from "./use-accounts.ts";
import { usePlatformNames } from "./use-platform-names.ts";

const route = getRouteApi("/studios/$studioId/results");

/** What one account's platform counted for its posts, all at the same age. Adds up and rates nothing. */
export function ResultsPage() {
  const { studio, may } = useStudio();
  const { account: chosenId, age = "168", days = "90", tag, sort } = route.useSearch();
  const navigate = route.useNavigate();
  const getPlatformName = usePlatformNames();
  const platforms = useQuery(platformsQuery(studio.id));
  const connections = platforms.data?.connections ?? [];
  const account =
    connections.find(({ id }) => id === chosenId) ??
    connections.find(({ state }) => state === "connected") ??
    connections[0];
  const results = useQuery({
    ...accountResultsQuery(studio.id, { connectionId: account?.id ?? "", age, days }),
    enabled: account !== undefined,
  });
  const {
    posts: allPosts = [],
    sources = {},
    isRead = true,
    isTruncated = false,
    ages = [Number(age)],
  } = results.data ?? {};
  const posts = sortPosts(tag === undefined ? allPosts : allPosts.filter(({ tags }) => tags.includes(tag)), sort);
  const tags = new Set([...countTags(allPosts).keys(), ...(tag === undefined ? [] : [tag])]);
  const name = account ? getAccountLabel(account) : "";
  const platformName = account ? getPlatformName(account.platform) : "";
  const ageLabel = formatAge(Number(age));
  const isDenied = posts.some(({ reasons }) => Object.values(reasons).includes("not_permitted"));
  const set = (change: ResultSearch): void =>
    void navigate({ search: (search) => withoutUndefined({ ...search, ...change }), replace: true });

  return (
    <>
      <PageHeader
        title="Results"
        isWide
        actions={
          posts.length > 0 && (
            <Button
              variant="secondary"
              icon={Download}
              onClick={() =>
                saveFile(`results-${name.replace(/[^\w.-]+/g, "-")}.csv`, formatResultsCsv(posts, sources))
              }
            >
              Export CSV
            </Button>
          )
        }
      >
        How the posts of one account did at the same age, as the platform counts.
      </PageHeader>
      <QueryStatus query={platforms} />
      {platforms.isSuccess && !account && (
        <EmptyState
          icon={Plug}
          title="No accounts yet"
          actions={
            may("platforms.connect") && (
              <ButtonLink to="/studios/$studioId/platforms" params={{ studioId: studio.id }}>
                Connect an account
              </ButtonLink>
            )
          }
        >
          Connect an account and publish a post. Its first results arrive an hour later.
        </EmptyState>
      )}
      {account && (
        <div className="mb-6 grid grid-cols-2 gap-4 lg:grid-cols-4">
          <SelectField
            label="Account"
            value={account.id}
            options={connections.map((connection) => [
              connection.id,
              formatAccount(getAccountLabel(connection), getPlatformName(connection.platform)),
            ])}
            onChange={({ target }) => set({ account: target.value, age: undefined, sort: undefined, tag: undefined })}
          />
          <SelectField
            label="Age of the posts"
            value={age}
            options={ages.map((value) => [String(value), formatAge(value)] as const)}
            onChange={({ target }) => set({ age: target.value })}
          />
          <SelectField
            label="Published"
            value={days}
            options={periodLabels}
            onChange={({ target }) => set({ days: target.value })}
          />
          <SelectField
            label="Tag"
            value={tag ?? ""}
            options={[["", "Any"], ...[...tags].map((value) => [value, value] as const)]}
            onChange={({ target }) => set({ tag: target.value === "" ? undefined : target.value })}
          />
        </div>
      )}
      {account && <QueryStatus query={results} />}
      {isDenied && (
        <Notice tone="warning">
          {platformName} doesn’t let Atelier read some numbers. An owner or admin can connect the account again on the
          Platforms page to allow it. Publishing works without it.
        </Notice>
      )}
      {results.isSuccess && posts.length > 0 && isRead && (
        <>
          <ResultsTable
            caption={`Results of ${name}, ${ageLabel} after publishing`}
            posts={posts}
            sources={sources}
            sort={sort}
            onSort={(nextSort) => set({ sort: nextSort })}
          />
          <p className="mt-4 max-w-[70ch] text-sm text-muted">
            Each number is what {platformName} counted {ageLabel} after publishing
            {sort === undefined ? "" : `, highest ${getMetricLabel(sort).toLowerCase()} first`}. A missing number is not
            zero.{isTruncated && " Only the newest 500 posts are shown."}
          </p>
        </>
      )}
      {results.isSuccess && (posts.length === 0 || !isRead) && (
        <NoResults isRead={isRead} tag={tag} platformName={platformName} onClearTag={() => set({ tag: undefined })} />
      )}
    </>
  );
}

function NoResults({
  isRead,
  tag,
  platformName,
  onClearTag,
}: {
  isRead: boolean;
  tag: string | undefined;
  platformName: string;
  onClearTag: () => void;
}) {
  const { studio } = useStudio();
  if (!isRead)
    return (
      <EmptyState icon={ChartColumn} title={`No results from ${platformName}`}>
        Atelier can’t read results from {platformName}. Open the post there to see how it did, or choose another
        account.
      </EmptyState>
    );
  if (tag !== undefined)
    return (
      <EmptyState
        icon={ChartColumn}
        title="No matching posts"
        actions={
          <Button variant="secondary" onClick={onClearTag}>
            Clear filter
          </Button>
        }
      >
        No post with the tag “{tag}” was published in this time.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={ChartColumn}
      title="Nothing published in this time"
      actions={
        <ButtonLink variant="secondary" to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
          Open posts
        </ButtonLink>
      }
    >
      Publish a post to this account, or choose a longer time. Its first results arrive an hour after publishing.
    </EmptyState>
  );
}

/** Highest first. Posts without the number come last, and keep their order. */
function sortPosts(posts: readonly ComparedPost[], name: string | undefined): readonly ComparedPost[] {
  if (name === undefined) return posts;
  return posts.toSorted((a, b) => (b.metrics[name] ?? -1) - (a.metrics[name] ?? -1));
}

const withoutUndefined = (search: ResultSearch): ResultSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
