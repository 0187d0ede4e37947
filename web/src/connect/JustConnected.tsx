import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { clientsQuery, type AiClient } from "../api/queries.ts";
import { scopeWords } from "../clients/scopes.ts";
import { useStudio } from "../frame/use-studio.ts";
import { CopyLine } from "../ui/CopyLine.tsx";

/** Something every client can do, whether or not it reaches the person's files. */
const firstWords = "Which drafts are in my studio? Make me a link to put a picture on the newest one.";

/** Waits beside the instructions and shows a client the moment it is approved, and again when it first calls. */
export function JustConnected() {
  const { studio, me } = useStudio();
  // The newest come first, so whoever connects now is on the first page.
  const clients = useInfiniteQuery(clientsQuery(studio.id, { ended: "false" })).data?.pages[0]?.clients;
  const [known, setKnown] = useState<ReadonlySet<string>>();

  useEffect(() => {
    if (clients && !known) setKnown(new Set(clients.map(({ id }) => id)));
  }, [clients, known]);

  const fresh = clients?.filter(({ id, user }) => known && !known.has(id) && user.id === me.user.id);
  const isWaiting = fresh === undefined || fresh.length === 0;
  return (
    <div className={isWaiting ? "live" : "live connected"}>
      <div role="status" className="grid gap-4">
        {isWaiting ? (
          <p className="m-0 flex items-baseline text-muted">
            <span className="pulse" aria-hidden="true" />
            Waiting for a client. This page notices by itself.
          </p>
        ) : (
          fresh.map((client) => <Arrived key={client.id} client={client} />)
        )}
      </div>
      {!isWaiting && <CopyLine label="Now ask it, for example" text={firstWords} />}
    </div>
  );
}

function Arrived({ client }: { client: AiClient }) {
  const { studio, me } = useStudio();
  const where = me.memberships.find(({ studioId }) => studioId === client.studioId)?.studioName;
  return (
    <div>
      <p className="m-0 font-serif text-2xl [overflow-wrap:anywhere]">{client.clientName} is connected</p>
      <p className="mt-1">
        It may {scopeWords(client.scopes)} in {where ?? "no studio yet"}.{" "}
        {client.lastUsedAt === null ? "It has not called yet." : "It has made its first call."}{" "}
        <Link to="/studios/$studioId/clients" params={{ studioId: studio.id }}>
          See AI clients
        </Link>
      </p>
    </div>
  );
}
