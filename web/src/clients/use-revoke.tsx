import { useQueryClient } from "@tanstack/react-query";
import { revokeClient } from "../api/changes.ts";
import { refresh, type AiClient } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";

/** Cuts clients off, after asking: they can only come back by being approved anew. */
export function useRevoke() {
  const { studio, me } = useStudio();
  const queries = useQueryClient();
  const confirm = useConfirm();

  async function run(clients: readonly AiClient[]): Promise<void> {
    try {
      for (const { id } of clients) await revokeClient(studio.id, id);
    } finally {
      await refresh(queries, studio.id);
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
        run: () => run([client]),
      }),
    revokeAll: (clients: readonly AiClient[]) =>
      confirm({
        title: `Revoke all ${clients.length} of yours?`,
        body: (
          <>
            <p>Each of these is refused at its next call, in whichever studio it works:</p>
            <ul className="mt-2 list-disc pl-5">
              {clients.map(({ id, clientName, redirectHost }) => (
                <li key={id}>
                  {clientName} at {redirectHost}
                </li>
              ))}
            </ul>
          </>
        ),
        action: "Revoke all",
        busy: `Revoking ${clients.length}…`,
        run: () => run(clients),
      }),
  };
}
