import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { clientsQuery, type AiClient } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { formatScopes } from "../clients/format-scopes.ts";
import { useStudio } from "../layout/use-studio.ts";
import { CopyField } from "../ui/CopyField.tsx";

/** Works in every client, including clients without access to local files. */
const examplePrompt = "Which drafts are in my studio? Create an upload link so I can add an image to the newest one.";

/** Shows a new client as soon as the user has consented, and updates after its first call. */
export function NewClientStatus() {
  const { studio } = useStudio();
  // Newest first, so a client that connects now is on the first page.
  const clients = usePagedList(clientsQuery(studio.id, { ended: "false", mine: "true" })).query.data?.pages[0];
  const [initialGrantIds, setInitialGrantIds] = useState<ReadonlySet<string>>();

  useEffect(() => {
    if (clients && !initialGrantIds) setInitialGrantIds(new Set(clients.map(({ id }) => id)));
  }, [clients, initialGrantIds]);

  const newClients = clients?.filter(({ id }) => initialGrantIds && !initialGrantIds.has(id)) ?? [];
  return (
    <div
      className={`mt-3 ${newClients.length > 0 ? "animate-rise border-l-3 border-accent bg-wash px-5 pt-4 pb-2" : ""}`}
    >
      <div role="status" className="grid gap-4">
        {newClients.length === 0
          ? clients && <WaitingMessage existingClients={clients} />
          : newClients.map((client) => <ConnectedClient key={client.id} client={client} />)}
      </div>
      {newClients.length > 0 && <CopyField label="Try this prompt" text={examplePrompt} />}
    </div>
  );
}

function WaitingMessage({ existingClients }: { existingClients: readonly AiClient[] }) {
  return (
    <p className="m-0 flex items-baseline text-muted">
      <span
        className="mr-3 size-2.5 flex-none animate-pulse rounded-full bg-accent forced-colors:bg-[CanvasText]"
        aria-hidden="true"
      />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {existingClients.length === 0 ? (
          "Waiting for a client to connect."
        ) : (
          <>
            <ExistingClients clients={existingClients} /> Waiting for another one.
          </>
        )}{" "}
        We’ll detect it automatically.
      </span>
    </p>
  );
}

const maxNames = 3;

/** The clients that were connected before the page was opened. */
function ExistingClients({ clients }: { clients: readonly AiClient[] }) {
  const { studio, me } = useStudio();
  const getStudioName = (studioId: string | null): string =>
    me.memberships.find((membership) => membership.studioId === studioId)?.studioName ?? "no studio";
  const names = [...new Set(clients.map(({ clientName, studioId }) => `${clientName} (${getStudioName(studioId)})`))];
  const hiddenCount = names.length - maxNames;
  return (
    <>
      <Link to="/studios/$studioId/clients" params={{ studioId: studio.id }}>
        Connected
      </Link>
      : {names.slice(0, maxNames).join(", ")}
      {hiddenCount > 0 && ` and ${hiddenCount} more`}.
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
        {studioName === undefined
          ? "It gets access once you have a studio."
          : `In ${studioName}, it can ${formatScopes(client.scopes)}.`}{" "}
        {client.lastUsedAt === null ? "It hasn’t made a call yet." : "It has made its first call."}{" "}
        <Link to="/studios/$studioId/clients" params={{ studioId: studio.id }}>
          View AI clients
        </Link>
      </p>
    </div>
  );
}
