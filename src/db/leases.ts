import type { LeaseStore } from "#domain/housekeeping/ports.ts";
import type { Connection } from "./client.ts";

export function createLeaseStore({ q }: Connection): LeaseStore {
  return {
    async acquire(name, holder, now, expiresAt) {
      const acquiredLease = await q
        .insertInto("leases")
        .values({ name, holder, expires_at: expiresAt })
        .onConflict((conflict) =>
          conflict.column("name").doUpdateSet({ holder, expires_at: expiresAt }).where("leases.expires_at", "<=", now),
        )
        .returning("holder")
        .executeTakeFirst();
      return acquiredLease !== undefined;
    },
    async release(name, holder) {
      await q.deleteFrom("leases").where("name", "=", name).where("holder", "=", holder).execute();
    },
  };
}
