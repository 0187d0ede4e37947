import { disconnectPlatform } from "../api/mutations.ts";
import type { Platform, PlatformConnection } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Badge } from "../ui/Badge.tsx";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { ListRow, RowActions, RowDetails } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { PlatformNotes } from "./PlatformNotes.tsx";
import { useConnect } from "./use-connect.ts";

/** A connection that works needs no badge. */
const problemLabels: Record<Exclude<PlatformConnection["state"], "connected">, string> = {
  needs_reconnect: "needs reconnecting",
  disconnected: "disconnected",
};

interface ConnectionRowProps {
  connection: PlatformConnection;
  /** Undefined if the server no longer supports the platform. */
  platform: Platform | undefined;
}

export function ConnectionRow({ connection, platform }: ConnectionRowProps) {
  const { studio, may } = useStudio();
  const { connect, isRunning, error } = useConnect();
  const { account, state, platform: platformId, instanceUrl } = connection;
  const platformName = platform?.name ?? platformId;
  const accountLabel = account.handle ?? account.name ?? account.id;
  const isConnected = state === "connected";
  const connectedTime = <RelativeTime at={connection.connectedAt} timezone={studio.timezone} />;
  const details = {
    ...(!isConnected && { Connected: connectedTime }),
    ...(account.name !== null && account.name !== accountLabel && { Name: account.name }),
    ...(account.profileUrl !== null && {
      Profile: <ProfileLink url={account.profileUrl} label={`Open ${accountLabel} on ${platformName}`} />,
    }),
  };
  const disconnect = useDisconnect(connection.id, accountLabel, platformName);

  return (
    // An account that needs reconnecting has two buttons.
    <ListRow isActionBeside={connection.health === "ok" || state === "disconnected"}>
      <div className="min-w-0">
        <p className="m-0 font-medium [overflow-wrap:anywhere]">{accountLabel}</p>
        <p className="mt-0 text-muted">
          {platformName}
          {instanceUrl !== null && ` on ${new URL(instanceUrl).host}`}
          {state === "connected" ? (
            <>
              , connected {connectedTime}
              {connection.expiresAt !== undefined && (
                <strong>
                  , access ends <RelativeTime at={connection.expiresAt} timezone={studio.timezone} />
                </strong>
              )}
            </>
          ) : (
            <>
              {" "}
              <Badge tone="neutral">{problemLabels[state]}</Badge>
            </>
          )}
        </p>
        {state !== "disconnected" && <AffectedPublications connection={connection} />}
        {isConnected && platform && <PlatformNotes canPublish={platform.canPublish} notice={platform.notice} />}
      </div>
      {may("platforms.connect") && (
        <RowActions>
          {connection.health !== "ok" && (
            <Button
              variant="quiet"
              busyLabel={isRunning && "Opening…"}
              aria-label={`Reconnect ${accountLabel}`}
              onClick={() => void connect(platformId, instanceUrl ?? undefined)}
            >
              Reconnect
            </Button>
          )}
          {state !== "disconnected" && (
            <Button variant="dangerOutline" aria-label={`Disconnect ${accountLabel}`} onClick={disconnect}>
              Disconnect
            </Button>
          )}
        </RowActions>
      )}
      {Object.keys(details).length > 0 && <RowDetails details={details} />}
      {error !== undefined && <ErrorMessage error={error} />}
    </ListRow>
  );
}

function AffectedPublications({
  connection: { affectedPublications: { length } = [] },
}: Pick<ConnectionRowProps, "connection">) {
  if (length === 0) return null;
  return (
    <p className="mt-0 text-sm text-muted">
      {length === 1 ? "One open publication" : `${length} open publications`} can’t go out until the account is
      reconnected.
    </p>
  );
}

function ProfileLink({ url, label }: { url: string; label: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer" aria-label={label}>
      Open
    </a>
  );
}

/** Disconnects an account after the user confirms, because reconnecting requires a sign-in on the platform. */
function useDisconnect(connectionId: string, accountLabel: string, platformName: string): () => void {
  const { studio } = useStudio();
  const confirm = useConfirm();
  return () =>
    confirm({
      title: `Disconnect ${accountLabel}?`,
      body: (
        <p>
          This deletes the studio’s access to {accountLabel} on {platformName} and revokes it on the platform if
          possible. To reconnect, someone needs access to the account on the platform. Posts don’t change.
        </p>
      ),
      action: "Disconnect",
      busyLabel: "Disconnecting…",
      run: () => disconnectPlatform({ studioId: studio.id, connectionId }),
    });
}
