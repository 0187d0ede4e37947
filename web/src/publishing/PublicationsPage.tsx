import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { SearchX, Send } from "lucide-react";
import { publicationsQuery } from "../api/publication-queries.ts";
import { platformsQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { PublicationSearch } from "../search-params.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { List, PagedList } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { AttentionNotice } from "./AttentionNotice.tsx";
import { PublicationFilters } from "./PublicationFilters.tsx";
import { PublicationRow } from "./PublicationRow.tsx";
import { PublicationTabs } from "./PublicationTabs.tsx";
import { getEndOfDay, getStartOfDay } from "#portable/zoned-time.ts";

const route = getRouteApi("/studios/$studioId/publications");

/** Every publication of the studio: waiting, scheduled and done. */
export function PublicationsPage() {
  const { studio } = useStudio();
  const search = route.useSearch();
  const isFiltered = Object.keys(search).length > 0;
  const publications = usePagedList(publicationsQuery(studio.id, toFilter(search, studio.timezone)));
  const isEmpty = publications.query.isSuccess && publications.items.length === 0;
  return (
    <>
      <PageHeader title="Publications">
        {isSortedByTime(search) ? "Earliest publishing time" : "Newest request"} first. Times are in the studio’s time
        zone ({studio.timezone}).
      </PageHeader>
      <PublicationTabs current="all" />
      {search.state === undefined && <AttentionNotice />}
      {/* Also while the list loads, so that clearing the filters does not remove the field that has the focus. */}
      {(isFiltered || publications.items.length > 0 || publications.query.isPending) && (
        <PublicationFilters
          search={search}
          firstPublication={publications.items[0]}
          hasClearButton={isFiltered && !isEmpty}
        />
      )}
      <PagedList
        list={publications}
        moreLabel={isSortedByTime(search) ? "Show later" : "Show earlier"}
        empty={<NoPublications isFiltered={isFiltered} />}
      >
        {(items) => (
          <List aria-label="Publications">
            {items.map((publication) => (
              <PublicationRow key={publication.id} publication={publication} />
            ))}
          </List>
        )}
      </PagedList>
    </>
  );
}

/** A list of publications that wait is sorted by their planned time; all others, by when they were requested. */
const isSortedByTime = ({ state }: Pick<PublicationSearch, "state">): boolean =>
  state === "proposed" || state === "scheduled";

/** The days in the URL are days of the studio's time zone; the API takes instants. */
const toFilter = ({ from, to, latest: latestOnly, ...rest }: PublicationSearch, timezone: string) => ({
  ...rest,
  ...(isSortedByTime(rest) ? { order: "soonest" as const } : {}),
  ...(from === undefined ? {} : { from: new Date(getStartOfDay(from, timezone)).toISOString() }),
  ...(to === undefined ? {} : { to: new Date(getEndOfDay(to, timezone)).toISOString() }),
  ...(latestOnly ? { latest: "true" } : {}),
});

function NoPublications({ isFiltered }: { isFiltered: boolean }) {
  const { studio, may } = useStudio();
  const connections = useQuery(platformsQuery(studio.id)).data?.connections;
  const params = { studioId: studio.id };
  if (isFiltered)
    return (
      <EmptyState
        title="No matching publications"
        icon={SearchX}
        actions={
          <ButtonLink variant="secondary" to="/studios/$studioId/publications" params={params}>
            Clear filters
          </ButtonLink>
        }
      >
        Try another status or post, or a wider date range.
      </EmptyState>
    );
  const needsAccount = connections?.every(({ state }) => state === "disconnected") === true;
  const canConnect = needsAccount && may("platforms.connect");
  return (
    <EmptyState
      title="Nothing published yet"
      icon={Send}
      actions={
        <>
          {canConnect && (
            <ButtonLink to="/studios/$studioId/platforms" params={params}>
              Connect an account
            </ButtonLink>
          )}
          <ButtonLink variant={canConnect ? "secondary" : "primary"} to="/studios/$studioId/posts" params={params}>
            Go to posts
          </ButtonLink>
        </>
      }
    >
      {needsAccount && (canConnect ? "Connect an account first. " : "Ask an owner or admin to connect an account. ")}
      To publish, open a post and choose Publish, Schedule or Ask for approval.
    </EmptyState>
  );
}
