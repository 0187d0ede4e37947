import type { RateLimitStore } from "#domain/access/ports.ts";
import type { Connection } from "./client.ts";

/** Rows in one statement: three values each, far below what both engines take. */
const rowsPerStatement = 500;

export function createRateLimitStore({ q }: Connection): RateLimitStore {
  return {
    async hit(key, windowEnd, limit) {
      // Past the limit the statement changes nothing: a flood costs a look, not a write.
      const countedRow = await q
        .insertInto("rate_limits")
        .values({ key, window_end: windowEnd, hits: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(["key", "window_end"])
            .doUpdateSet((set) => ({ hits: set("rate_limits.hits", "+", 1) }))
            .where("rate_limits.hits", "<", limit),
        )
        .returning("hits")
        .executeTakeFirst();
      return countedRow !== undefined;
    },
    async addHits(counts, windowEnd) {
      const totals = new Map<string, number>();
      // Always in the same order: instances that add to the same rows wait for each other, never in a circle.
      const sorted = counts.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      for (let from = 0; from < sorted.length; from += rowsPerStatement) {
        const rows = await q
          .insertInto("rate_limits")
          .values(
            sorted.slice(from, from + rowsPerStatement).map(({ key, hits }) => ({ key, window_end: windowEnd, hits })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(["key", "window_end"])
              .doUpdateSet((set) => ({ hits: set("rate_limits.hits", "+", set.ref("excluded.hits")) })),
          )
          .returning(["key", "hits"])
          .execute();
        for (const { key, hits } of rows) totals.set(key, hits);
      }
      return totals;
    },
  };
}
