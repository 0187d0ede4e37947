import type { RateLimitStore } from "#domain/access/ports.ts";
import type { Connection } from "./client.ts";

export function rateLimitStore({ q }: Connection): RateLimitStore {
  return {
    async hit(key, windowEnd, limit) {
      // Past the limit the statement changes nothing: a flood costs a look, not a write.
      const counted = await q
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
      return counted !== undefined;
    },
  };
}
