import { sql, type RawBuilder } from "kysely";
import { toDayNumber, callHistoryDays } from "#domain/access/call-tally.ts";
import type { PurgeableKind, PurgeStore } from "#domain/housekeeping/ports.ts";
import { days } from "#lib/clock.ts";
import type { Connection } from "./client.ts";

export function createPurgeStore({ q }: Connection): PurgeStore {
  return {
    async deleteExpired(kind, now, limit) {
      const { numAffectedRows } = await deleteStatements[kind](now, limit).execute(q);
      return Number(numAffectedRows ?? 0);
    },
    async listClients(after, before, limit) {
      return q
        .selectFrom("oauth_clients")
        .select(["id", "created_at as createdAt"])
        .where((where) =>
          where.or([
            where("created_at", ">", after.createdAt),
            where.and([where("created_at", "=", after.createdAt), where("id", ">", after.id)]),
          ]),
        )
        .where("created_at", ">=", after.createdAt) // the part of the condition that an index serves
        .where("created_at", "<=", before)
        .orderBy("created_at")
        .orderBy("id")
        .limit(limit)
        .execute();
    },
    async deleteUnusedClients(clientIds, before) {
      if (clientIds.length === 0) return 0;
      const { numDeletedRows } = await q
        .deleteFrom("oauth_clients")
        .where("id", "in", clientIds)
        .where("created_at", "<=", before) // asked anew: one that was renewed since it was listed stays
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("grants").select("id").whereRef("grants.client_id", "=", "oauth_clients.id"))),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/** Each has an index on the time it ends. */
const deleteStatements: Record<PurgeableKind, (now: number, limit: number) => RawBuilder<unknown>> = {
  oauthRecords: (now, limit) => sql`DELETE FROM oauth_records WHERE (model, id_hash) IN
    (SELECT model, id_hash FROM oauth_records WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`,
  sessions: (now, limit) => sql`DELETE FROM sessions WHERE token_hash IN
    (SELECT token_hash FROM sessions WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`,
  // Kept for a while behind their end, so that a file begun in time finds its link until the last.
  uploadLinks: (now, limit) => sql`DELETE FROM upload_links WHERE id IN
    (SELECT id FROM upload_links WHERE expires_at <= ${now - days(7)} ORDER BY expires_at LIMIT ${limit})`,
  connectPages: (now, limit) => sql`DELETE FROM platform_connects WHERE token_hash IN
    (SELECT token_hash FROM platform_connects WHERE expires_at <= ${now}
      AND (state_expires_at IS NULL OR state_expires_at <= ${now}) ORDER BY expires_at LIMIT ${limit})`,
  // Ourselves at an instance where nobody has an account, a day after somebody meant to connect one.
  platformApps: (now, limit) => sql`DELETE FROM platform_apps WHERE (platform, instance) IN
    (SELECT a.platform, a.instance FROM platform_apps a WHERE a.created_at <= ${now - days(1)}
      AND NOT EXISTS (SELECT 1 FROM platform_connections c
        WHERE c.platform = a.platform AND c.instance = a.instance AND c.instance <> '')
      AND NOT EXISTS (SELECT 1 FROM platform_connects p WHERE p.platform = a.platform AND p.instance = a.instance)
      ORDER BY a.created_at LIMIT ${limit})`,
  grantCalls: (now, limit) => sql`DELETE FROM grant_calls WHERE (grant_id, day) IN
    (SELECT grant_id, day FROM grant_calls WHERE day < ${toDayNumber(now) - callHistoryDays} ORDER BY day LIMIT ${limit})`,
  rateLimits: (now, limit) => sql`DELETE FROM rate_limits WHERE (key, window_end) IN
    (SELECT key, window_end FROM rate_limits WHERE window_end <= ${now} ORDER BY window_end LIMIT ${limit})`,
};
