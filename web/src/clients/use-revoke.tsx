import { revokeAllClients, revokeClient } from "../api/mutations.ts";
import type { AiClient } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";

/** Revokes AI clients after the user confirms, because a revoked client needs a new consent. */
export function useRevoke() {
  const { studio, me, may } = useStudio();
  const confirm = useConfirm();

  return {
    revoke: (client: AiClient) => {
      const isOwn = client.user.id === me.user.id;
      confirm({
        title: isOwn ? `Revoke ${client.clientName}?` : `Revoke ${client.clientName} of ${client.user.name}?`,
        body: (
          <p>
            It loses access immediately. To use it again, {isOwn ? "you" : client.user.name} must{" "}
            {client.issuer === null ? "reconnect and approve it" : "allow it again under Revoked clients"}. Its past
            changes are kept; you can undo them on this page.
          </p>
        ),
        action: "Revoke",
        busyLabel: "Revoking…",
        run: () => revokeClient({ studioId: studio.id, grantId: client.id }),
      });
    },
    revokeAll: () =>
      confirm({
        title: "Revoke all AI clients?",
        body: (
          <p>
            {may("clients.revokeAny")
              ? `This blocks every AI client in ${studio.name}, including those of other members, and all of your own in any studio.`
              : "This blocks every AI client that you approved, in any studio."}{" "}
            To use a client again, its user must reconnect and approve it. Past changes are kept.
          </p>
        ),
        action: "Revoke all",
        busyLabel: "Revoking…",
        run: () => revokeAllClients({ studioId: studio.id }),
      }),
  };
}
