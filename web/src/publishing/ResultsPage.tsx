import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChartColumn, Download, Plug } from "lucide-react";
import type { ReactNode } from "react";
import { accountResultsQuery, type ComparedPost } from "../api/planning-queries.ts";
import { platformsQuery, type PlatformConnection } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { ResultSearch } from "../search-params.ts";
import { countTags } from "../tags/count-tags.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { Notice } from "../ui/Notice.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { formatAge, getMetricLabel } from "./result-labels.ts";
import { formatResultsCsv, saveFile } from "./results-csv.ts";
import { ResultFilters } from "./ResultFilters.tsx";
import { ResultsTable } from "./ResultsTable.tsx";
import { getAccountLabel } from "./use-accounts.ts";
import { usePlatformNames } from "./use-platform-names.ts";

const route = getRouteApi("/studios/$studioId/results");

/** What one account's platform counted for its posts, all at the same age. Adds up and rates nothing. */
export function ResultsPage() {
  const { studio, may } = useStudio();
  const { account: chosenId } = route.useSearch();
  const platforms = useQuery(platformsQuery(studio.id));
  const connections = platforms.data?.connections ?? [];
  const account =
    connections.find(({ id }) => id === chosenId) ??
    connections.find(({ state }) => state === "connected") ??
    connections[0];
  if (account) return <AccountResults account={account} connections={connections} />;
  return (
    <>
      <ResultsHeader />
      <QueryStatus query={platforms} />
      {platforms.isSuccess && (
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
    </>
  );
}

const ResultsHeader = ({ actions }: { actions?: ReactNode }) => (
  <PageHeader title="Results" isWide actions={actions}>
    How the posts of one account did at the same age, as the platform counts.
  </PageHeader>
);

function AccountResults({
  account,
  connections,
}: {
  account: PlatformConnection;
  connections: readonly PlatformConnection[];
}) {
  const { studio } = useStudio();
  const { age = "168", days = "90", tag, sort } = route.useSearch();
  const navigate = route.useNavigate();
  const platformName = usePlatformNames()(account.platform);
  const query = useQuery(accountResultsQuery(studio.id, { connectionId: account.id, age, days }));
  const results = query.data;
  const allPosts = results?.posts ?? [];
  const posts = sortPosts(tag === undefined ? allPosts : allPosts.filter(({ tags }) => tags.includes(tag)), sort);
  const name = getAccountLabel(account);
  const ageLabel = formatAge(Number(age));
  const isDenied = posts.some(({ reasons }) => Object.values(reasons).includes("not_permitted"));
  const set = (change: ResultSearch): void =>
    void navigate({ search: (search) => withoutUndefined({ ...search, ...change }), replace: true });

  return (
    <>
      <ResultsHeader
        actions={
          results &&
          posts.length > 0 && (
            <Button
              variant="secondary"
              icon={Download}
              onClick={() =>
                saveFile(`results-${name.replace(/[^\w.-]+/g, "-")}.csv`, formatResultsCsv(posts, results.sources))
              }
            >
              Export CSV
            </Button>
          )
        }
      />
      <ResultFilters
        account={account}
        connections={connections}
        choices={{ age, days, tag }}
        ages={results?.ages ?? [Number(age)]}
        tags={[...countTags(allPosts).keys()]}
        onChange={set}
      />
      <QueryStatus query={query} />
      {isDenied && (
        <Notice tone="warning">
          {platformName} doesn’t let Atelier read some numbers. An owner or admin can connect the account again on the
          Platforms page to allow it. Publishing works without it.
        </Notice>
      )}
      {results?.isRead === true && posts.length > 0 && (
        <>
          <ResultsTable
            caption={`Results of ${name}, ${ageLabel} after publishing`}
            posts={posts}
            sources={results.sources}
            sort={sort}
            onSort={(nextSort) => set({ sort: nextSort })}
          />
          <p className="mt-4 max-w-[70ch] text-sm text-muted">
            Each number is what {platformName} counted {ageLabel} after publishing
            {sort === undefined ? "" : `, highest ${getMetricLabel(sort).toLowerCase()} first`}. A missing number is not
            zero.{results.isTruncated && " Only the newest 500 posts are shown."}
          </p>
        </>
      )}
      {results && (posts.length === 0 || !results.isRead) && (
        <NoResults
          isRead={results.isRead}
          tag={tag}
          platformName={platformName}
          onClearTag={() => set({ tag: undefined })}
        />
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
