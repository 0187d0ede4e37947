import { sql, type RawBuilder } from "kysely";
import { callHistoryDays, toDayNumber } from "#domain/model/grant.ts";
import { mailLifetime } from "#domain/model/mail.ts";
import { notificationLifetime } from "#domain/model/notification.ts";
import { changeLifetime } from "#domain/model/revision.ts";
import { deliveryLifetime } from "#domain/model/webhook.ts";
import type { RateLimitStore } from "#domain/ports/access.ts";
import type {
  IdempotencyKey,
  IdempotencyStore,
  LeaseStore,
  PurgeableKind,
  PurgeStore,
} from "#domain/ports/coordination.ts";
import { days } from "#lib/clock.ts";
import { toFirstId } from "#lib/ids.ts";
import {
  changesRow,
  countChangedRows,
  deleteRows,
  execute,
  selectRows,
  updateRows,
  type Connection,
} from "./database.ts";

export function createLeaseStore({ q }: Connection): LeaseStore {
  return {
    acquire: (name, holder, now, expiresAt) =>
      q
        .insertInto("leases")
        .values({ name, holder, expiresAt })
        .onConflict((conflict) =>
          conflict.column("name").doUpdateSet({ holder, expiresAt }).where("leases.expiresAt", "<=", now),
        )
        .$call(changesRow),
    release: (name, holder) => deleteRows(q, "leases", { name, holder }).$call(execute),
  };
}

/** Three parameters per row, far below the limits of both engines. */
const rowsPerStatement = 500;

export function createRateLimitStore({ q }: Connection): RateLimitStore {
  return {
    // Beyond the limit, the statement updates nothing, so a flood of requests causes reads but no writes.
    hit: (key, windowEnd, limit) =>
      q
        .insertInto("rateLimits")
        .values({ key, windowEnd, hits: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(["key", "windowEnd"])
            .doUpdateSet((eb) => ({ hits: eb("rateLimits.hits", "+", 1) }))
            .where("rateLimits.hits", "<", limit),
        )
        .$call(changesRow),
    async addHits(counts, windowEnd) {
      const totals = new Map<string, number>();
      // Sorted, so that instances that update the same rows lock them in the same order and cannot deadlock.
      const sortedCounts = counts.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      for (let from = 0; from < sortedCounts.length; from += rowsPerStatement) {
        const rows = await q
          .insertInto("rateLimits")
          .values(sortedCounts.slice(from, from + rowsPerStatement).map(({ key, hits }) => ({ key, windowEnd, hits })))
          .onConflict((conflict) =>
            conflict
              .columns(["key", "windowEnd"])
              .doUpdateSet((eb) => ({ hits: eb("rateLimits.hits", "+", eb.ref("excluded.hits")) })),
          )
          .returning(["key", "hits"])
          .execute();
        for (const { key, hits } of rows) totals.set(key, hits);
      }
      return totals;
    },
  };
}

/** More than one, so that expired keys do not accumulate. */
const expiredKeysPerClaim = 20;

export function createIdempotencyStore({ q }: Connection): IdempotencyStore {
  const selectResult = ({ studioId, userId, verb, key }: IdempotencyKey) =>
    selectRows(q, "idempotencyKeys", { studioId, userId, verb, key }).select(["inputHash", "result"]);
  const updateResult = ({ studioId, userId, verb, key }: IdempotencyKey, result: string) =>
    updateRows(q, "idempotencyKeys", { studioId, userId, verb, key }, { result });
  return {
    find: (idempotencyKey, expiredBefore) =>
      selectResult(idempotencyKey).where("createdAt", ">", expiredBefore).executeTakeFirst(),
    async claim(idempotencyKey, inputHash, now, expiredBefore) {
      const { studioId, userId, verb, key } = idempotencyKey;
      await sql`DELETE FROM idempotency_keys WHERE (studio_id, user_id, verb, key) IN
        (SELECT studio_id, user_id, verb, key FROM idempotency_keys
          WHERE studio_id = ${studioId} AND user_id = ${userId} AND created_at <= ${expiredBefore}
          LIMIT ${expiredKeysPerClaim})`.execute(q);
      const isClaimed = await q
        .insertInto("idempotencyKeys")
        .values({ studioId, userId, verb, key, inputHash, result: "", createdAt: now })
        .onConflict((conflict) => conflict.columns(["studioId", "userId", "verb", "key"]).doNothing())
        .$call(changesRow);
      if (isClaimed) return undefined;
      return selectResult(idempotencyKey).executeTakeFirstOrThrow();
    },
    saveResult: (idempotencyKey, result) => updateResult(idempotencyKey, result).$call(execute),
    replaceResult: (idempotencyKey, from, to) =>
      updateResult(idempotencyKey, to).where("result", "=", from).$call(changesRow),
  };
}

export function createPurgeStore({ q }: Connection): PurgeStore {
  return {
    async deleteExpired(kind, now, limit) {
      const { numAffectedRows } = await purgeStatements[kind](now, limit).execute(q);
      return Number(numAffectedRows ?? 0);
    },
    listClients: (after, before, limit) =>
      q
        .selectFrom("oauthClients")
        .select(["id", "createdAt"])
        .where((where) =>
          where.or([
            where("createdAt", ">", after.createdAt),
            where.and([where("createdAt", "=", after.createdAt), where("id", ">", after.id)]),
          ]),
        )
        .where("createdAt", ">=", after.createdAt) // redundant, but lets the engines use the index
        .where("createdAt", "<=", before)
        .orderBy("createdAt")
        .orderBy("id")
        .limit(limit)
        .execute(),
    async deleteUnusedClients(clientIds, before) {
      if (clientIds.length === 0) return 0;
      return q
        .deleteFrom("oauthClients")
        .where("id", "in", clientIds)
        .where("createdAt", "<=", before) // checked again: the purge may have been postponed since the client was listed
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("grants").select("id").whereRef("grants.clientId", "=", "oauthClients.id"))),
        )
        .$call(countChangedRows);
    },
  };
}

/** Each table has an index on its expiry column. */
const purgeStatements: Record<PurgeableKind, (now: number, limit: number) => RawBuilder<unknown>> = {
  oauthRecords: (now, limit) => sql`DELETE FROM oauth_records WHERE (model, id_hash) IN
    (SELECT model, id_hash FROM oauth_records WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`,
  sessions: (now, limit) => sql`DELETE FROM sessions WHERE token_hash IN
    (SELECT token_hash FROM sessions WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`,
  mcpSessions: (now, limit) => sql`DELETE FROM mcp_sessions WHERE id_hash IN
    (SELECT id_hash FROM mcp_sessions WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`,
  // Kept for 7 days after they expire: an upload that started before the expiry still needs its link.
  uploadLinks: (now, limit) => sql`DELETE FROM upload_links WHERE id IN
    (SELECT id FROM upload_links WHERE expires_at <= ${now - days(7)} ORDER BY expires_at LIMIT ${limit})`,
  connectLinks: (now, limit) => sql`DELETE FROM platform_connects WHERE token_hash IN
    (SELECT token_hash FROM platform_connects WHERE expires_at <= ${now}
      AND (state_expires_at IS NULL OR state_expires_at <= ${now}) ORDER BY expires_at LIMIT ${limit})`,
  // Deleted a day after the registration, unless a platform connection, in any state, or a connect link uses the app.
  platformApps: (now, limit) => sql`DELETE FROM platform_apps WHERE (platform, instance) IN
    (SELECT a.platform, a.instance FROM platform_apps a WHERE a.created_at <= ${now - days(1)}
      AND NOT EXISTS (SELECT 1 FROM platform_connections c
        WHERE c.platform = a.platform AND c.instance = a.instance AND c.instance <> '')
      AND NOT EXISTS (SELECT 1 FROM platform_connects p WHERE p.platform = a.platform AND p.instance = a.instance)
      ORDER BY a.created_at LIMIT ${limit})`,
  grantCalls: (now, limit) => sql`DELETE FROM grant_calls WHERE (grant_id, day) IN
    (SELECT grant_id, day FROM grant_calls WHERE day < ${toDayNumber(now) - callHistoryDays} ORDER BY day LIMIT ${limit})`,
  assetChanges: (now, limit) => sql`DELETE FROM asset_changes WHERE (asset_id, change, field) IN
    (SELECT asset_id, change, field FROM asset_changes WHERE at < ${now - changeLifetime} ORDER BY at LIMIT ${limit})`,
  commentChanges: (now, limit) => sql`DELETE FROM comment_changes WHERE (comment_id, change) IN
    (SELECT comment_id, change FROM comment_changes WHERE at < ${now - changeLifetime} ORDER BY at LIMIT ${limit})`,
  // Deleted when no undo can restore them. The first comment of a thread stays while the thread has replies.
  deletedComments: (now, limit) => sql`DELETE FROM comments WHERE id IN
    (SELECT c.id FROM comments c WHERE c.removed_at < ${now - changeLifetime}
      AND NOT EXISTS (SELECT 1 FROM comments r WHERE r.post_id = c.post_id AND r.parent_id = c.id)
      ORDER BY c.removed_at LIMIT ${limit})`,
  deletedCommentTexts: (now, limit) => sql`UPDATE comments SET body = '' WHERE id IN
    (SELECT id FROM comments WHERE removed_at < ${now - changeLifetime} AND body <> '' ORDER BY removed_at LIMIT ${limit})`,
  webhookDeliveries: (now, limit) => sql`DELETE FROM webhook_deliveries WHERE id IN
    (SELECT id FROM webhook_deliveries WHERE id < ${toFirstId("webhookDelivery", now - deliveryLifetime)}
      ORDER BY id LIMIT ${limit})`,
  notifications: (now, limit) => sql`DELETE FROM notifications WHERE id IN
    (SELECT id FROM notifications WHERE at < ${now - notificationLifetime} ORDER BY at LIMIT ${limit})`,
  mails: (now, limit) => sql`DELETE FROM mails WHERE id IN
    (SELECT id FROM mails WHERE id < ${toFirstId("mail", now - mailLifetime)} ORDER BY id LIMIT ${limit})`,
  rateLimits: (now, limit) => sql`DELETE FROM rate_limits WHERE (key, window_end) IN
    (SELECT key, window_end FROM rate_limits WHERE window_end <= ${now} ORDER BY window_end LIMIT ${limit})`,
};
