import { useState } from "react";
import { clientsQuery, type AiClient } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { List, PagedList } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { ClientRow } from "./ClientRow.tsx";
import { useRevoke } from "./use-revoke.tsx";

export function ClientsPage() {
  const { studio, may } = useStudio();
  const clients = usePagedList(clientsQuery(studio.id, { ended: "false" }));
  const { revokeAll } = useRevoke();

  return (
    <>
      <PageHeader
        title="AI clients"
        actions={
          clients.items.length > 1 && (
            <Button variant="secondary" onClick={revokeAll}>
              Revoke all…
            </Button>
          )
        }
      >
        {may("clients.listAll")
          ? "AI clients with access to this studio, and your own clients in other studios."
          : "AI clients you approved, in any studio."}{" "}
        Revoking a client blocks all its calls from now on. Signing out here doesn’t disconnect clients.
      </PageHeader>
      <PagedList list={clients} empty={<NoClients />}>
        {(items) => <ClientList label="Connected clients" clients={items} />}
      </PagedList>
      <RevokedClients />
    </>
  );
}

function RevokedClients() {
  const { studio } = useStudio();
  const [isOpen, setIsOpen] = useState(false);
  const query = clientsQuery(studio.id, { ended: "true" });
  const clients = usePagedList(isOpen ? query : { ...query, refetchInterval: false });
  if (clients.items.length === 0) return null;
  return (
    <details className="mt-12" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="cursor-pointer text-muted">Revoked clients</summary>
      {isOpen && (
        <PagedList list={clients} empty={null}>
          {(items) => <ClientList label="Revoked clients" clients={items} className="mt-4" />}
        </PagedList>
      )}
    </details>
  );
}

function ClientList({
  label,
  clients,
  className,
}: {
  label: string;
  clients: readonly AiClient[];
  className?: string;
}) {
  return (
    <List aria-label={label} className={className}>
      {clients.map((client) => (
        <ClientRow key={client.id} client={client} />
      ))}
    </List>
  );
}

function NoClients() {
  const { studio } = useStudio();
  return (
    <EmptyState
      title="No AI clients connected"
      actions={
        <ButtonLink to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
          Connect an AI client
        </ButtonLink>
      }
    >
      Connect Claude, ChatGPT, Cursor or any other MCP client. You approve it once, choose what it can do, and can
      revoke its access here at any time.
    </EmptyState>
  );
}
