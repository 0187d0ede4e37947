import { minutes } from "#lib/clock.ts";
import type { Deps } from "../ports/deps.ts";
import { tryRenew, unsealCredential } from "../steps/credentials.ts";

const batchSize = 20;

/** Renews credentials before they expire, so that no caller has to wait. One Atelier server at a time runs this job. */
export async function renewDueCredentials(
  deps: Parameters<typeof tryRenew>[0] & Pick<Deps, "clock">,
  { shouldStop }: { shouldStop: () => boolean },
): Promise<{ renewed: number; failed: number }> {
  const count = { renewed: 0, failed: 0 };
  // Skip platforms that are no longer configured; their connections stay due.
  const configuredPlatforms = deps.platforms.list().filter((platform) => platform.isConfigured);
  const platformIds = configuredPlatforms.map(({ id }) => id);
  // Both success and failure move a connection's `renewAt` past `now`, so the loop ends.
  const now = deps.clock();
  for (;;) {
    const dueConnections = await deps.platformStore.listDueForRenewal(platformIds, now, batchSize);
    for (const connection of dueConnections) {
      if (shouldStop()) return count;
      try {
        const credential = unsealCredential(deps, connection, connection.credential ?? "");
        if (await tryRenew(deps, connection, credential)) count.renewed++;
      } catch {
        // Continue with the other connections. A caller that uses this one gets the error.
        await deps.platformStore.postponeRenewal(
          connection.id,
          connection.credentialGeneration,
          deps.clock() + minutes(10),
        );
        count.failed++;
      }
    }
    if (dueConnections.length < batchSize) return count;
  }
}
