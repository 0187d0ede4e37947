import { useQueryClient } from "@tanstack/react-query";
import { disconnectPlatform } from "../api/mutations.ts";
import { refreshQueries, type PlatformConnection } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";

/** Gives an account up, after asking: only someone at the platform can give it back. */
export function useDisconnect(): (connection: PlatformConnection, label: string, name: string) => void {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const confirm = useConfirm();
  return ({ id }, label, name) =>
    confirm({
      title: `Disconnect ${label}?`,
      body: (
        <p>
          The studio’s access to {label} on {name} is wiped here, and revoked at the platform where that can be done.
          Someone who may use the account there has to connect it anew. Posts stay as they are.
        </p>
      ),
      action: "Disconnect",
      busy: "Disconnecting…",
      run: async () => {
        await disconnectPlatform(studio.id, id);
        await refreshQueries(queryClient, studio.id);
      },
    });
}
