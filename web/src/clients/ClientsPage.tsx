import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { clientsQuery, type ClientFilter } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ShowMore } from "../ui/ShowMore.tsx";
import { ClientRow } from "./ClientRow.tsx";
import { useRevoke } from "./use-revoke.tsx";

export function ClientsPage() {
  const { may } = useStudio();
  const { clients, rest: listState } = useClients({ ended: "false" });
  const { revokeAll } = useRevoke();
  const [showEnded, setShowEnded] = useState(false);

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
          ? "Every approval that acts in this studio, and all of your own wherever they act. A revoked client is refused at its next call."
          : "The clients you approved, wherever they act. A revoked client is refused at its next call."}{" "}
        Signing out here does not disconnect them.
      </PageHeader>
      {clients.length > 0 && (
        <ul className="rows" aria-label="Connected clients">
          {clients.map((client) => (
            <ClientRow key={client.id} client={client} />
          ))}
        </ul>
      )}
      {listState ?? (clients.length === 0 && <NoClients />)}
      <details className="mt-12" onToggle={({ currentTarget }) => setShowEnded(currentTarget.open)}>
        <summary className="cursor-pointer text-muted">Ended approvals</summary>
        {showEnded && <EndedClients />}
      </details>
    </>
  );
}

function NoClients() {
  const { studio } = useStudio();
  return (
    <EmptyState title="No assistant is connected">
      <p className="text-muted">
        Connect Claude, ChatGPT, Cursor or any other MCP client. You approve it once, choose what it may do, and can cut
        it off here at any time.
      </p>
      <p>
        <Link className="button" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
          Connect an assistant
        </Link>
      </p>
    </EmptyState>
  );
}

function EndedClients() {
  const { clients, rest: listState } = useClients({ ended: "true" });
  return (
    <>
      <ul className="rows mt-4" aria-label="Ended approvals">
        {clients.map((client) => (
          <ClientRow key={client.id} client={client} />
        ))}
      </ul>
      {listState ?? (clients.length === 0 && <p className="text-muted">None has ended yet.</p>)}
    </>
  );
}

/** The approvals that have come so far, and what is to be shown while there are more, or none yet, or a fault. */
function useClients(filter: ClientFilter) {
  const { studio } = useStudio();
  const query = useInfiniteQuery(clientsQuery(studio.id, filter));
  const clients = query.data?.pages.flatMap((page) => page.clients) ?? [];
  let listState;
  if (!query.isSuccess) listState = <QueryStatus of={query} />;
  else if (query.hasNextPage) listState = <ShowMore of={query} />;
  return { clients, rest: listState };
}
