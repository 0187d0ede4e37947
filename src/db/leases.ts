import type { LeaseStore } from "#domain/housekeeping/ports.ts";
import type { Connection } from "./client.ts";

export function leaseStore({ q }: Connection): LeaseStore {
  return {
    async take(name, holder, now, expiresAt) {
      const taken = await q
        .insertInto("leases")
        .values({ name, holder, expires_at: expiresAt })
        .onConflict((conflict) =>
          conflict.column("name").doUpdateSet({ holder, expires_at: expiresAt }).where("leases.expires_at", "<=", now),
        )
        .returning("holder")
        .executeTakeFirst();
      return taken !== undefined;
    },
    async release(name, holder) {
      await q.deleteFrom("leases").where("name", "=", name).where("holder", "=", holder).execute();
    },
  };
}
