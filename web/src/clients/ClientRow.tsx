import { useLocation } from "@tanstack/react-router";
import { BadgeCheck, TriangleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { allowClient } from "../api/mutations.ts";
import type { AiClient } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Avatar } from "../ui/Avatar.tsx";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { capitalize, formatActor } from "../ui/format-actor.ts";
import { ListRow, RowActions, RowDetails } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useAction } from "../ui/use-action.ts";
import { WholeWords } from "../ui/WholeWords.tsx";
import { ConnectionProgress } from "./ConnectionProgress.tsx";
import { formatScopes } from "./format-scopes.ts";
import { useRevoke } from "./use-revoke.tsx";

export function ClientRow({ client }: { client: AiClient }) {
  const { studio, me, may } = useStudio();
  const { revoke } = useRevoke();
  const { row, isTarget } = useScrollToClient(client.id);
  const isMine = client.user.id === me.user.id;
  const studioName = me.memberships.find(({ studioId }) => studioId === client.studioId)?.studioName;
  const isRevoked = client.revokedAt !== null;
  const hasMadeCalls = client.lastUsedAt !== null || client.calls > 0;
  const hasActivityLink = hasMadeCalls && may("activity.list");
  const canUndo =
    hasMadeCalls && client.scopes.includes("studio:write") && may(isMine ? "clients.undo" : "clients.undoAny");
  return (
    <ListRow ref={row} id={client.id} className={isTarget ? "-mx-3 rounded-md bg-wash px-3" : ""}>
      <div className="flex min-w-0 items-center gap-3">
        <Avatar name={client.user.name} client={{ name: client.clientName }} />
        <div className="min-w-0">
          <p className="m-0 text-lg font-semibold [overflow-wrap:anywhere]">{client.clientName}</p>
          <Host client={client} />
        </div>
      </div>
      <RowDetails
        details={{
          "Acts for": <WholeWords text={isMine ? "You" : client.user.name} />,
          "Works in": <WholeWords text={client.studioId === studio.id ? "This studio" : (studioName ?? "No studio")} />,
          Access: capitalize(formatScopes(client.scopes)),
          [client.issuer === null ? "Approved" : "Connected"]: <Time at={client.grantedAt} />,
          [isRevoked ? "Revoked" : "Last used"]: <LastEvent client={client} />,
          ...(!isRevoked && { "Calls in 30 days": client.calls.toLocaleString("en") }),
        }}
      />
      <ConnectionProgress client={client} />
      <RowActions areSmallOnPhones={hasActivityLink}>
        {hasActivityLink && (
          <ButtonLink
            variant="quiet"
            to="/studios/$studioId/activity"
            params={{ studioId: studio.id }}
            search={{ clientId: client.clientId }}
            aria-label={`See activity of ${client.clientName}`}
          >
            See activity
          </ButtonLink>
        )}
        {canUndo && (
          <ButtonLink
            variant="quiet"
            to="/studios/$studioId/clients/$grantId/undo"
            params={{ studioId: studio.id, grantId: client.id }}
            aria-label={`Undo changes by ${formatActor(client.user, { name: client.clientName })}`}
          >
            Undo changes…
          </ButtonLink>
        )}
        {client.isBlocked && isMine && <AllowButton client={client} />}
        {!isRevoked && (
          <Button
            variant="dangerOutline"
            onClick={() => revoke(client)}
            className="max-sm:min-w-21"
            aria-label={`Revoke ${client.clientName}`}
          >
            Revoke
          </Button>
        )}
      </RowActions>
    </ListRow>
  );
}

function AllowButton({ client }: { client: AiClient }) {
  const { studio } = useStudio();
  const { isRunning, error, run } = useAction();
  return (
    <>
      <Button
        variant="quiet"
        busyLabel={isRunning && "Allowing…"}
        aria-label={`Allow ${client.clientName} again`}
        onClick={() => void run(() => allowClient({ studioId: studio.id, grantId: client.id }))}
      >
        Allow again
      </Button>
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  );
}

/** The host that receives the client's access, and whether it proves who the client is. */
function Host({ client }: { client: AiClient }) {
  if (client.issuer !== null)
    return <p className="m-0 text-sm text-muted">Connected by {new URL(client.issuer).host}, without a consent page</p>;
  const Icon = client.verified ? BadgeCheck : TriangleAlert;
  return (
    <p className="m-0 flex flex-wrap items-center gap-x-1.5 text-sm text-muted">
      <span className="[overflow-wrap:anywhere]">{client.redirectHost}</span>
      <span className={`inline-flex items-center gap-1 ${client.verified ? "text-success" : "text-warning"}`}>
        <Icon size={14} aria-hidden="true" />
        {client.verified ? "verified" : "unverified name"}
      </span>
    </p>
  );
}

/** Scrolls to the client that the URL's hash names. The browser can't: the list loads after the page. */
function useScrollToClient(grantId: string) {
  const row = useRef<HTMLLIElement>(null);
  const isTarget = useLocation({ select: ({ hash }) => hash === grantId });
  useEffect(() => {
    if (isTarget) row.current?.scrollIntoView({ block: "center" });
  }, [isTarget]);
  return { row, isTarget };
}

function LastEvent({ client }: { client: AiClient }) {
  const at = client.revokedAt ?? client.lastUsedAt;
  return at === null ? "Never" : <Time at={at} />;
}

function Time({ at }: { at: string }) {
  const { studio } = useStudio();
  return (
    <span className="inline-block first-letter:uppercase">
      <RelativeTime at={at} timezone={studio.timezone} />
    </span>
  );
}
