import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft, Bot } from "lucide-react";
import { useEffect } from "react";
import { clientsQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { UndoForm } from "./UndoForm.tsx";

const route = getRouteApi("/studios/$studioId/clients/$grantId/undo");

/** Undoes what an AI client changed in the studio, after a dry run. */
export function UndoPage() {
  const { studio } = useStudio();
  const { grantId } = route.useParams();
  const { query, items } = usePagedList(clientsQuery(studio.id, {}));
  const client = items.find(({ id }) => id === grantId);
  const isSearching = !client && query.hasNextPage && !query.isFetching && !query.isError;
  const { fetchNextPage } = query;
  useEffect(() => {
    if (isSearching) void fetchNextPage();
  }, [isSearching, fetchNextPage]);

  return (
    <>
      <p className="m-0 mb-6">
        <Link
          className="-my-2 inline-flex items-center gap-1.5 py-2 text-muted no-underline hover:text-accent"
          to="/studios/$studioId/clients"
          params={{ studioId: studio.id }}
        >
          <ArrowLeft size={16} aria-hidden="true" />
          AI clients
        </Link>
      </p>
      {!client && <QueryStatus query={query} />}
      {!client && query.isSuccess && !query.hasNextPage && (
        <EmptyState title="AI client not found" icon={Bot}>
          It may work in another studio. Switch studios, or check the link.
        </EmptyState>
      )}
      {client && <UndoForm key={grantId} client={client} />}
    </>
  );
}
