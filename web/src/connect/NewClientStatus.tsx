import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { clientsQuery, type AiClient } from "../api/queries.ts";
import { formatScopes } from "../clients/format-scopes.ts";
import { useStudio } from "../frame/use-studio.ts";
import { CopyField } from "../ui/CopyField.tsx";

/** Something every client can do, whether or not it reaches the person's files. */
const examplePrompt = "Which drafts are in my studio? Make me a link to put a picture on the newest one.";

/** Waits beside the instructions and shows a client the moment it is approved, and again when it first calls. */
export function NewClientStatus() {
  const { studio } = useStudio();
  // The newest come first, so a client that connects now is on the first page.
  const clients = useInfiniteQuery(clientsQuery(studio.id, { ended: "false", mine: "true" })).data?.pages[0]?.clients;
  const [knownGrantIds, setKnownGrantIds] = useState<ReadonlySet<string>>();

  useEffect(() => {
    if (clients && !knownGrantIds) setKnownGrantIds(new Set(clients.map(({ id }) => id)));
  }, [clients, knownGrantIds]);

  const newClients = clients?.filter(({ id }) => knownGrantIds && !knownGrantIds.has(id)) ?? [];
  return (
    <div className={newClients.length === 0 ? "live" : "live connected"}>
      <div role="status" className="grid gap-4">
        {newClients.length === 0
          ? clients && <Waiting connected={clients} />
          : newClients.map((client) => <ConnectedClient key={client.id} client={client} />)}
      </div>
      {newClients.length > 0 && <CopyField label="Now ask it, for example" text={examplePrompt} />}
    </div>
  );
}

function Waiting({ connected }: { connected: readonly AiClient[] }) {
  return (
    <p className="m-0 flex items-baseline text-muted">
      <span className="pulse" aria-hidden="true" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {connected.length === 0 ? (
          "Waiting for a client."
        ) : (
          <>
            <Connected clients={connected} /> Waiting for another one.
          </>
        )}{" "}
        We’ll detect it automatically.
      </span>
    </p>
  );
}

const mostNames = 3;

/** The clients that were connected before this page was opened. */
function Connected({ clients }: { clients: readonly AiClient[] }) {
  const { studio, me } = useStudio();
  const nameOf = (studioId: string | null): string =>
    me.memberships.find((one) => one.studioId === studioId)?.studioName ?? "no studio";
  const names = [...new Set(clients.map(({ clientName, studioId }) => `${clientName} (${nameOf(studioId)})`))];
  const more = names.length - mostNames;
  return (
    <>
      <Link to="/studios/$studioId/clients" params={{ studioId: studio.id }}>
        Connected
      </Link>
      : {names.slice(0, mostNames).join(", ")}
      {more > 0 && ` and ${more} more`}.
    </>
  );
}

function ConnectedClient({ client }: { client: AiClient }) {
  const { studio, me } = useStudio();
  const studioName = me.memberships.find(({ studioId }) => studioId === client.studioId)?.studioName;
  return (
    <div>
      <p className="m-0 font-serif text-2xl [overflow-wrap:anywhere]">{client.clientName} is connected</p>
      <p className="mt-1">
        It can {formatScopes(client.scopes)} in {studioName ?? "no studio yet"}, and{" "}
        {client.lastUsedAt === null ? "has not made a call yet." : "has made its first call."}{" "}
        <Link to="/studios/$studioId/clients" params={{ studioId: studio.id }}>
          See AI clients
        </Link>
      </p>
    </div>
  );
}
