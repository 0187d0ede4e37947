import { useQueryClient } from "@tanstack/react-query";
import { revokeAllClients, revokeClient } from "../api/mutations.ts";
import { refreshQueries, type AiClient } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";

/** Cuts clients off, after asking: they can only come back by being approved anew. */
export function useRevoke() {
  const { studio, me, may } = useStudio();
  const queryClient = useQueryClient();
  const confirm = useConfirm();

  async function runAndRefresh(revokeAccess: () => Promise<unknown>): Promise<void> {
    try {
      await revokeAccess();
    } finally {
      await refreshQueries(queryClient, studio.id);
    }
  }

  return {
    revoke: (client: AiClient) =>
      confirm({
        title: `Revoke ${client.clientName}?`,
        body: (
          <p>
            Its next call is refused. {client.user.id === me.user.id ? "You" : client.user.name} would have to connect
            and approve it anew. What it did stays.
          </p>
        ),
        action: "Revoke",
        busy: "Revoking…",
        run: () => runAndRefresh(() => revokeClient(studio.id, client.id)),
      }),
    revokeAll: () =>
      confirm({
        title: "Revoke all?",
        body: (
          <p>
            {may("clients.revokeAny")
              ? `Every client that works in ${studio.name}, whoever approved it, and every client of yours in any studio is refused at its next call.`
              : "Every client that you approved, in whichever studio it works, is refused at its next call."}{" "}
            Each would have to be connected and approved anew. What they did stays.
          </p>
        ),
        action: "Revoke all",
        busy: "Revoking…",
        run: () => runAndRefresh(() => revokeAllClients(studio.id)),
      }),
  };
}
