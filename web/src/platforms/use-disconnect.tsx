import { useQueryClient } from "@tanstack/react-query";
import { disconnectPlatform } from "../api/mutations.ts";
import { refreshQueries, type PlatformConnection } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";

/** Disconnects an account after the user confirms, because reconnecting requires a sign-in on the platform. */
export function useDisconnect(): (connection: PlatformConnection, accountLabel: string, platformName: string) => void {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const confirm = useConfirm();
  return ({ id }, accountLabel, platformName) =>
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
      run: async () => {
        await disconnectPlatform(studio.id, id);
        await refreshQueries(queryClient, studio.id);
      },
    });
}
