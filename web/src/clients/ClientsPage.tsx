import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { clientsQuery, type ClientFilter } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ShowMore } from "../ui/ShowMore.tsx";
import { ClientRow } from "./ClientRow.tsx";
import { useRevoke } from "./use-revoke.tsx";

export function ClientsPage() {
  const { may } = useStudio();
  const { clients, listState } = useClients({ ended: "false" });
  const { revokeAll } = useRevoke();
  const [showRevoked, setShowRevoked] = useState(false);

  return (
    <>
      <PageHeader
        title="AI clients"
        actions={
          clients.length > 1 && (
            <Button variant="quiet" className="min-h-11" onClick={revokeAll}>
              Revoke all…
            </Button>
          )
        }
      >
        {may("clients.listAll")
          ? "AI clients with access to this studio, plus your own elsewhere."
          : "AI clients you approved, in any studio."}{" "}
        Revoking a client blocks its next call. Signing out here doesn’t disconnect clients.
      </PageHeader>
      {clients.length > 0 && (
        <ul className="rows" aria-label="Connected clients">
          {clients.map((client) => (
            <ClientRow key={client.id} client={client} />
          ))}
        </ul>
      )}
      {listState ?? (clients.length === 0 && <NoClients />)}
      <details className="mt-12" onToggle={({ currentTarget }) => setShowRevoked(currentTarget.open)}>
        <summary className="cursor-pointer text-muted">Revoked clients</summary>
        {showRevoked && <RevokedClients />}
      </details>
    </>
  );
}

function NoClients() {
  const { studio } = useStudio();
  return (
    <EmptyState title="No AI clients connected">
      <p className="text-muted">
        Connect Claude, ChatGPT, Cursor or any other MCP client. You approve it once, choose what it can do, and can
        revoke its access here at any time.
      </p>
      <p>
        <Link className="button" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
          Connect an AI client
        </Link>
      </p>
    </EmptyState>
  );
}

function RevokedClients() {
  const { clients, listState } = useClients({ ended: "true" });
  return (
    <>
      <ul className="rows mt-4" aria-label="Revoked clients">
        {clients.map((client) => (
          <ClientRow key={client.id} client={client} />
        ))}
      </ul>
      {listState ?? (clients.length === 0 && <p className="text-muted">No revoked clients.</p>)}
    </>
  );
}

/** The clients loaded so far, and the loading state, error or "Show more" button to render below them. */
function useClients(filter: ClientFilter) {
  const { studio } = useStudio();
  const query = useInfiniteQuery(clientsQuery(studio.id, filter));
  const clients = query.data?.pages.flatMap((page) => page.clients) ?? [];
  let listState;
  if (!query.isSuccess) listState = <QueryStatus query={query} />;
  else if (query.hasNextPage) listState = <ShowMore query={query} />;
  return { clients, listState };
}
