import type { AiClient } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Badge } from "../ui/Badge.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { ListRow, RowActions, RowDetails } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { formatScopes } from "./format-scopes.ts";
import { useRevoke } from "./use-revoke.tsx";

export function ClientRow({ client }: { client: AiClient }) {
  const { studio, me, may } = useStudio();
  const { revoke } = useRevoke();
  const isMine = client.user.id === me.user.id;
  const studioName = me.memberships.find(({ studioId }) => studioId === client.studioId)?.studioName;
  const isRevoked = client.revokedAt !== null;
  return (
    <ListRow>
      <div className="min-w-0">
        <p className="m-0 font-serif text-xl [overflow-wrap:anywhere]">{client.clientName}</p>
        <p className="mt-0">
          {client.redirectHost}{" "}
          <Badge isPositive={client.verified} isWarning={!client.verified}>
            {client.verified ? "verified" : "unverified name"}
          </Badge>
        </p>
      </div>
      <RowDetails
        details={[
          ["Acts for", isMine ? "you" : client.user.name],
          ["Works in", studioName ?? "no studio"],
          ["Can", formatScopes(client.scopes)],
          ["Approved", <RelativeTime at={client.grantedAt} timezone={studio.timezone} />],
          [isRevoked ? "Revoked" : "Last used", <LastEvent client={client} timezone={studio.timezone} />],
          ...(isRevoked ? [] : [["Calls in 30 days", client.calls.toLocaleString("en")] as const]),
        ]}
      />
      <RowActions>
        {client.scopes.includes("studio:write") && (isMine ? may("clients.undo") : may("clients.undoAny")) && (
          <ButtonLink
            variant="quiet"
            to="/studios/$studioId/clients/$grantId/undo"
            params={{ studioId: studio.id, grantId: client.id }}
            aria-label={`Undo changes by ${formatActor(client.user, { name: client.clientName })}`}
          >
            Undo changes
          </ButtonLink>
        )}
        {!isRevoked && (
          <Button variant="quiet" onClick={() => revoke(client)} aria-label={`Revoke ${client.clientName}`}>
            Revoke…
          </Button>
        )}
      </RowActions>
    </ListRow>
  );
}

function LastEvent({ client, timezone }: { client: AiClient; timezone: string }) {
  const at = client.revokedAt ?? client.lastUsedAt;
  return at === null ? "never" : <RelativeTime at={at} timezone={timezone} />;
}
