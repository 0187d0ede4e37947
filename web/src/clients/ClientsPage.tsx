import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { clientsQuery, instanceQuery, type AiClient } from "../api/queries.ts";
import { usePagedList, type ListQuery } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { List, PagedList } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { ClientRow } from "./ClientRow.tsx";
import { ClientSetup, setupHash } from "./ClientSetup.tsx";
import { useRevoke } from "./use-revoke.tsx";

export function ClientsPage() {
  const { studio, may } = useStudio();
  const clients = usePagedList(clientsQuery(studio.id, { ended: "false" }));
  const { revokeAll } = useRevoke();
  const { data: instance } = useQuery(instanceQuery);
  const revokedClients = usePagedList(clientsQuery(studio.id, { ended: "true" }));
  const isEmpty = clients.query.isSuccess && clients.items.length === 0;
  const isFirst = isEmpty && revokedClients.items.length === 0;
  const listIntro = may("clients.listAll")
    ? "AI clients with access to this studio, and your own clients in other studios."
    : "AI clients you approved, in any studio.";

  return (
    <>
      <PageHeader
        title="AI clients"
        actions={
          clients.items.length > 0 && (
            <>
              <ButtonLink
                icon={Plus}
                to="/studios/$studioId/clients"
                params={{ studioId: studio.id }}
                hash={setupHash}
                resetScroll={false}
                className="max-sm:basis-full"
              >
                Connect a client
              </ButtonLink>
              {clients.items.length > 1 && (
                <Button variant="dangerOutline" onClick={revokeAll} className="max-sm:basis-full">
                  Revoke all
                </Button>
              )}
            </>
          )
        }
      >
        {instance?.companyAccounts === true && (
          <>
            Your company can connect clients for you: <a href="/link">link your company account</a>.{" "}
          </>
        )}
        {isEmpty
          ? `No AI client is connected${isFirst ? " yet" : ""}. You approve each one, choose what it can do, and can revoke its access here at any time.`
          : listIntro}
      </PageHeader>
      <PagedList list={clients} empty={null}>
        {(items) => <ClientList label="Connected clients" clients={items} />}
      </PagedList>
      <RevokedClients clients={revokedClients} />
      <ClientSetup clients={clients.query.isSuccess ? clients.items : undefined} isFirst={isFirst} />
    </>
  );
}

function RevokedClients({ clients }: { clients: ListQuery<AiClient> }) {
  const { hash } = useLocation();
  const [isOpen, setIsOpen] = useState<boolean>();
  // A link can lead to a revoked client.
  const isShown = isOpen ?? clients.items.some(({ id }) => id === hash);
  if (clients.items.length === 0) return null;
  return (
    <Disclosure className="mt-4" isOpen={isShown} onToggle={setIsOpen} summary="Revoked clients">
      {isShown && (
        <PagedList list={clients} empty={null}>
          {(items) => <ClientList label="Revoked clients" clients={items} className="mt-2" />}
        </PagedList>
      )}
    </Disclosure>
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
