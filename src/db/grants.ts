import { sql } from "kysely";
import type { Scope } from "#domain/caller.ts";
import type { Grant, GrantStore, ListedGrant } from "#domain/access/ports.ts";
import { minutes } from "#lib/clock.ts";
import type { Connection } from "./database.ts";
import type { Schema } from "./schema.ts";
import { memberStudioSql } from "./authority.ts";

/** For grant `g` of user `u`: the studio that its next call acts on. */
const effectiveStudioSql = sql<string | null>`(${sql.raw(memberStudioSql("g.studio_id"))})`;

/** Later than any day number, so that no calls are counted. */
const maxDay = 2 ** 31 - 1;

/** The number of calls of grant `g` since this day. */
const callCountSql = (sinceDay: number) =>
  sql<number>`(SELECT CAST(COALESCE(SUM(c.calls), 0) AS BIGINT) FROM grant_calls c WHERE c.grant_id = g.id AND c.day >= ${sinceDay})`;

export function createGrantStore({ q }: Connection): GrantStore {
  const selectGrants = (callsSince = maxDay) =>
    q
      .selectFrom("users as u")
      .innerJoin("grants as g", "g.user_id", "u.id")
      .selectAll("g")
      .select([
        "u.name as user_name",
        "u.email as user_email",
        effectiveStudioSql.as("effective_studio_id"),
        callCountSql(callsSince).as("calls"),
      ]);
  return {
    async insert(grant) {
      await q
        .insertInto("grants")
        .values({
          id: grant.id,
          user_id: grant.userId,
          client_id: grant.clientId,
          client_name: grant.clientName,
          client_verified: Number(grant.clientVerified),
          redirect_host: grant.redirectHost,
          scopes: grant.scopes.join(" "),
          studio_id: grant.studioId,
          generation: 0,
          rotated_at: grant.grantedAt,
          granted_at: grant.grantedAt,
          last_used_at: grant.lastUsedAt,
          revoked_at: grant.revokedAt,
        })
        .execute();
    },
    async find(grantId) {
      const row = await q.selectFrom("grants").selectAll().where("id", "=", grantId).executeTakeFirst();
      return row && toGrant(row);
    },
    async listVisible(studioId, { userId, includeOthers, grantId, isRevoked, before, limit, callsSince }) {
      const rows = await selectGrants(callsSince)
        .innerJoin("memberships as m", "m.user_id", "u.id")
        .where("m.studio_id", "=", studioId)
        .where((where) =>
          where.or([
            where("g.user_id", "=", userId),
            ...(includeOthers ? [where(effectiveStudioSql, "=", studioId)] : []),
          ]),
        )
        .$if(grantId !== undefined, (grants) => grants.where("g.id", "=", grantId!))
        .$if(isRevoked !== undefined, (grants) =>
          grants.where("g.revoked_at", isRevoked === true ? "is not" : "is", null),
        )
        .$if(before !== undefined, (grants) => grants.where("g.id", "<", before!))
        .orderBy("g.id", "desc")
        .$if(limit !== undefined, (grants) => grants.limit(limit!))
        .execute();
      return rows.map(toListedGrant);
    },
    async revoke(grantId, now) {
      const { numUpdatedRows } = await q
        .updateTable("grants")
        .set({ revoked_at: now })
        .where("id", "=", grantId)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async list({ userId, clientId, includeRevoked, before, limit, callsSince }) {
      const rows = await selectGrants(callsSince)
        .$if(userId !== undefined, (grants) => grants.where("g.user_id", "=", userId!))
        .$if(clientId !== undefined, (grants) => grants.where("g.client_id", "=", clientId!))
        .$if(!includeRevoked, (grants) => grants.where("g.revoked_at", "is", null))
        .$if(before !== undefined, (grants) => grants.where("g.id", "<", before!))
        .orderBy("g.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toListedGrant);
    },
    async revokeForUser(userId, now) {
      const { numUpdatedRows } = await q
        .updateTable("grants")
        .set({ revoked_at: now })
        .where("user_id", "=", userId)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    async revokeInStudio(studioId, now) {
      await q
        .updateTable("grants")
        .set({ revoked_at: now })
        .where("id", "in", (eb) =>
          eb
            .selectFrom("memberships as m")
            .innerJoin("users as u", "u.id", "m.user_id")
            .innerJoin("grants as g", "g.user_id", "u.id")
            .select("g.id")
            .where("m.studio_id", "=", studioId)
            .where("g.revoked_at", "is", null)
            .where(effectiveStudioSql, "=", studioId),
        )
        .execute();
    },
    async moveStudio(grantId, studioId) {
      const { numUpdatedRows } = await q
        .updateTable("grants")
        .set({ studio_id: studioId })
        .where("id", "=", grantId)
        .where((where) => where.or([where("studio_id", "is", null), where("studio_id", "!=", studioId)]))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async touch(grantId, now) {
      await q
        .updateTable("grants")
        .set({ last_used_at: now })
        .where("id", "=", grantId)
        .where((where) => where.or([where("last_used_at", "is", null), where("last_used_at", "<=", now - minutes(1))]))
        .execute();
    },
    async addCalls(grantId, day, calls) {
      await q
        .insertInto("grant_calls")
        .columns(["grant_id", "day", "calls"])
        .expression((from) =>
          from
            .selectFrom("grants")
            .select([
              "id",
              sql<number>`CAST(${day} AS INTEGER)`.as("day"),
              sql<number>`CAST(${calls} AS INTEGER)`.as("calls"),
            ])
            .where("id", "=", grantId),
        )
        .onConflict((conflict) =>
          conflict
            .columns(["grant_id", "day"])
            .doUpdateSet({ calls: (eb) => eb("grant_calls.calls", "+", eb.ref("excluded.calls")) }),
        )
        .execute();
    },
  };
}

interface GrantListColumns {
  user_name: string;
  user_email: string | null;
  effective_studio_id: string | null;
  calls: number;
}

function toListedGrant(row: Schema["grants"] & GrantListColumns): ListedGrant {
  return {
    ...toGrant(row),
    userName: row.user_name,
    userEmail: row.user_email,
    effectiveStudioId: row.effective_studio_id,
    calls: row.calls,
  };
}

function toGrant(row: Schema["grants"]): Grant {
  return {
    id: row.id,
    userId: row.user_id,
    clientId: row.client_id,
    clientName: row.client_name,
    clientVerified: row.client_verified === 1,
    redirectHost: row.redirect_host,
    scopes: row.scopes.split(" ").filter(Boolean) as Scope[],
    studioId: row.studio_id,
    grantedAt: row.granted_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
