import { minutes } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import { openCredential, tryRenew } from "./credentials.ts";

const batchSize = 20;

/** Renews what would end soon, so that whoever needs it finds it fresh. One instance does this at a time. */
export async function renewDueCredentials(
  deps: Parameters<typeof tryRenew>[0] & Pick<Deps, "clock">,
  { isOver }: { isOver: () => boolean },
): Promise<{ renewed: number; failed: number }> {
  const count = { renewed: 0, failed: 0 };
  // Those of a platform that has lost its settings wait until it has them again.
  const configured = deps.platforms.list().filter((platform) => platform.isConfigured);
  const platforms = configured.map(({ id }) => id);
  // Whatever becomes of one, it is due later than now, or not at all: no batch brings it again.
  const now = deps.clock();
  for (;;) {
    const dueConnections = await deps.platformStore.listDueForRenewal(platforms, now, batchSize);
    for (const connection of dueConnections) {
      if (isOver()) return count;
      try {
        const credential = openCredential(deps, connection, connection.credential ?? "");
        if (await tryRenew(deps, connection, credential)) count.renewed++;
      } catch {
        // Told where it is used, and in the studio's activity; the others are not to wait for it.
        await deps.platformStore.postponeRenewal(connection.id, connection.generation, deps.clock() + minutes(10));
        count.failed++;
      }
    }
    if (dueConnections.length < batchSize) return count;
  }
}
