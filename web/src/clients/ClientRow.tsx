import type { AiClient } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { formatScopes } from "./format-scopes.ts";
import { useRevoke } from "./use-revoke.tsx";

export function ClientRow({ client }: { client: AiClient }) {
  const { studio, me } = useStudio();
  const { revoke } = useRevoke();
  const isMine = client.user.id === me.user.id;
  const studioName = me.memberships.find(({ studioId }) => studioId === client.studioId)?.studioName;
  return (
    <li className="client-row">
      <div className="min-w-0">
        <p className="m-0 font-serif text-xl [overflow-wrap:anywhere]">{client.clientName}</p>
        <p className="mt-0">
          {client.redirectHost}{" "}
          <span className={client.verified ? "badge verified" : "badge"}>
            {client.verified ? "verified" : "unverified name"}
          </span>
        </p>
      </div>
      <dl className="client-facts">
        <div>
          <dt>Acts for</dt>
          <dd>{isMine ? "you" : client.user.name}</dd>
        </div>
        <div>
          <dt>Works in</dt>
          <dd>{studioName ?? "no studio"}</dd>
        </div>
        <div>
          <dt>Can</dt>
          <dd>{formatScopes(client.scopes)}</dd>
        </div>
        <div>
          <dt>Approved</dt>
          <dd>
            <RelativeTime at={client.grantedAt} timezone={studio.timezone} />
          </dd>
        </div>
        <div>
          <dt>{client.revokedAt === null ? "Last used" : "Revoked"}</dt>
          <dd>
            <LastEvent client={client} timezone={studio.timezone} />
          </dd>
        </div>
        {client.revokedAt === null && (
          <div>
            <dt>Calls in 30 days</dt>
            <dd>{client.calls.toLocaleString("en")}</dd>
          </div>
        )}
      </dl>
      {client.revokedAt === null && (
        <div className="row-actions">
          <Button variant="quiet" onClick={() => revoke(client)} aria-label={`Revoke ${client.clientName}`}>
            Revoke
          </Button>
        </div>
      )}
    </li>
  );
}

function LastEvent({ client, timezone }: { client: AiClient; timezone: string }) {
  const at = client.revokedAt ?? client.lastUsedAt;
  return at === null ? "never" : <RelativeTime at={at} timezone={timezone} />;
}
