import { CircleCheck } from "lucide-react";
import { useState } from "react";
import type { AiClient } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { CopyField } from "../ui/CopyField.tsx";
import { formatScopes } from "./format-scopes.ts";

/** Works in every client, including clients without access to local files. */
const examplePrompt = "Which drafts are in my studio? Create an upload link so I can add an image to the newest one.";

/**
 * Waits for the first client, shows a new one of this user as soon as the user has consented, and updates after its
 * first call.
 */
export function ConnectionStatus({ clients }: { clients: readonly AiClient[] | undefined }) {
  const { me } = useStudio();
  /** When the newest client of the first list was approved; empty if the list had none. */
  const [lastGrantTime, setLastGrantTime] = useState<string>();
  if (clients && lastGrantTime === undefined)
    setLastGrantTime(
      clients
        .map(({ grantedAt }) => grantedAt)
        .toSorted()
        .at(-1) ?? "",
    );

  const isNew = ({ user, grantedAt }: AiClient): boolean =>
    user.id === me.user.id && lastGrantTime !== undefined && grantedAt > lastGrantTime;
  const newClients = clients?.filter(isNew) ?? [];
  const hasNewClients = newClients.length > 0;
  return (
    <div className={hasNewClients ? "mt-4 animate-rise rounded-lg border border-rule bg-success-wash p-4" : ""}>
      <div role="status" className="grid gap-3">
        {clients?.length === 0 && <Waiting />}
        {newClients.map((client) => (
          <NewClient key={client.id} client={client} />
        ))}
      </div>
      {hasNewClients && <CopyField label="Try this prompt" text={examplePrompt} />}
    </div>
  );
}

function Waiting() {
  return (
    <p className="m-0 mt-3 flex gap-3 text-muted">
      <span className="flex h-lh flex-none items-center" aria-hidden="true">
        <span className="size-2 animate-pulse rounded-full bg-accent forced-colors:bg-[CanvasText]" />
      </span>
      Waiting for a client to connect. We’ll detect it automatically.
    </p>
  );
}

function NewClient({ client }: { client: AiClient }) {
  const { me } = useStudio();
  const studioName = me.memberships.find(({ studioId }) => studioId === client.studioId)?.studioName;
  return (
    <div className="flex gap-2.5">
      <CircleCheck size={20} className="mt-0.5 flex-none text-success" aria-hidden="true" />
      <div className="min-w-0">
        <p className="m-0 text-lg font-semibold [overflow-wrap:anywhere]">{client.clientName} is connected</p>
        <p className="m-0">
          {studioName === undefined
            ? "It gets access once you have a studio."
            : `In ${studioName}, it can ${formatScopes(client.scopes)}.`}{" "}
          {client.lastUsedAt === null ? "It hasn’t made a call yet." : "It has made its first call."}
        </p>
      </div>
    </div>
  );
}
