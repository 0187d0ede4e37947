import { minutes } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import { openCredential } from "./credential.ts";
import { renewIfFree } from "./use-credential.ts";

const batch = 20;

/** Renews what would end soon, so that whoever needs it finds it fresh. One instance does this at a time. */
export async function renewDue(
  deps: Parameters<typeof renewIfFree>[0] & Pick<Deps, "clock">,
  { isOver }: { isOver: () => boolean },
): Promise<{ renewed: number; failed: number }> {
  const count = { renewed: 0, failed: 0 };
  // Those of a platform that has lost its settings wait until it has them again.
  const configured = deps.platforms.list().filter((one) => one.configured);
  const platforms = configured.map(({ id }) => id);
  // Whatever becomes of one, it is due later than now, or not at all: no batch brings it again.
  const now = deps.clock();
  for (;;) {
    const due = await deps.platformStore.listDue(platforms, now, batch);
    for (const connection of due) {
      if (isOver()) return count;
      try {
        const credential = openCredential(deps, connection, connection.credential ?? "");
        if (await renewIfFree(deps, connection, credential)) count.renewed++;
      } catch {
        // Told where it is used, and in the studio's activity; the others are not to wait for it.
        await deps.platformStore.postpone(connection.id, connection.generation, deps.clock() + minutes(10));
        count.failed++;
      }
    }
    if (due.length < batch) return count;
  }
}
