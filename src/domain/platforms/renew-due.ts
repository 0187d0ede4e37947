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
  for (const connection of await deps.platformStore.listDue(deps.clock(), batch)) {
    if (isOver()) break;
    if (connection.credential === null) continue;
    try {
      const credential = openCredential(deps, connection, connection.credential);
      if (await renewIfFree(deps, connection, credential)) count.renewed++;
    } catch {
      // Told where it is used, and in the studio's activity; the others are not to wait for it.
      await deps.platformStore.postpone(connection.id, connection.generation, 0, deps.clock() + minutes(10));
      count.failed++;
    }
  }
  return count;
}
