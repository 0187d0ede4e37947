import type { PlatformConnection } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useConnect } from "./use-connect.ts";
import { useDisconnect } from "./use-disconnect.tsx";

const stateLabels: Record<PlatformConnection["state"], string> = {
  connected: "connected",
  needs_reconnect: "needs reconnecting",
  disconnected: "disconnected",
};

export function ConnectionRow({ connection, name }: { connection: PlatformConnection; name: string }) {
  const { studio, may } = useStudio();
  const { connect, busy, error } = useConnect();
  const disconnect = useDisconnect();
  const { account, state, platform, instanceUrl } = connection;
  const label = account.handle ?? account.name ?? account.id;
  const needsReconnect = state !== "connected";

  return (
    <li className="client-row">
      <div className="min-w-0">
        <p className="m-0 font-serif text-xl [overflow-wrap:anywhere]">{label}</p>
        <p className="mt-0">
          {name}
          {instanceUrl !== null && ` on ${new URL(instanceUrl).host}`}{" "}
          <span className={state === "connected" ? "badge verified" : "badge"}>{stateLabels[state]}</span>
        </p>
      </div>
      <dl className="client-facts">
        <div>
          <dt>Connected</dt>
          <dd>
            <RelativeTime at={connection.connectedAt} timezone={studio.timezone} />
          </dd>
        </div>
        {account.name !== null && account.name !== label && (
          <div>
            <dt>Name</dt>
            <dd>{account.name}</dd>
          </div>
        )}
        {account.profileUrl !== null && (
          <div>
            <dt>Profile</dt>
            <dd>
              <a href={account.profileUrl} target="_blank" rel="noreferrer" aria-label={`Open ${label} on ${name}`}>
                Open
              </a>
            </dd>
          </div>
        )}
      </dl>
      {may("platforms.connect") && (
        <div className="row-actions">
          {needsReconnect && (
            <Button
              variant="quiet"
              busyLabel={busy && "Opening…"}
              aria-label={`Reconnect ${label}`}
              onClick={() => void connect(platform, instanceUrl ?? undefined)}
            >
              Reconnect
            </Button>
          )}
          {state !== "disconnected" && (
            <Button
              variant="quiet"
              aria-label={`Disconnect ${label}`}
              onClick={() => disconnect(connection, label, name)}
            >
              Disconnect
            </Button>
          )}
        </div>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
    </li>
  );
}
