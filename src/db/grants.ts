import { sql } from "kysely";
import type { Scope } from "#domain/caller.ts";
import type { GrantStore } from "#domain/ports/access.ts";
import { minutes } from "#lib/clock.ts";
import { changesRow, countChangedRows, type Connection } from "./database.ts";
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
      .innerJoin("grants as g", "g.userId", "u.id")
      .select([
        "u.name as userName",
        "u.email as userEmail",
        effectiveStudioSql.as("effectiveStudioId"),
        callCountSql(callsSince).as("calls"),
      ])
      .selectAll("g");
  return {
    async insert({ scopes, ...grant }) {
      await q
        .insertInto("grants")
        .values({ ...grant, scopes: scopes.join(" "), generation: 0, rotatedAt: grant.grantedAt })
        .execute();
    },
    async find(grantId) {
      const row = await q.selectFrom("grants").selectAll().where("id", "=", grantId).executeTakeFirst();
      return row && toGrant(row);
    },
    async listVisible(studioId, { userId, includeOthers, grantId, isRevoked, before, limit, callsSince }) {
      const rows = await selectGrants(callsSince)
        .innerJoin("memberships as m", "m.userId", "u.id")
        .where("m.studioId", "=", studioId)
        .where((where) =>
          where.or([
            where("g.userId", "=", userId),
            ...(includeOthers ? [where(effectiveStudioSql, "=", studioId)] : []),
          ]),
        )
        .$if(grantId !== undefined, (grants) => grants.where("g.id", "=", grantId!))
        .$if(isRevoked !== undefined, (grants) =>
          grants.where("g.revokedAt", isRevoked === true ? "is not" : "is", null),
        )
        .$if(before !== undefined, (grants) => grants.where("g.id", "<", before!))
        .orderBy("g.id", "desc")
        .$if(limit !== undefined, (grants) => grants.limit(limit!))
        .execute();
      return rows.map(toGrant);
    },
    revoke: (grantId, now) =>
      q
        .updateTable("grants")
        .set({ revokedAt: now })
        .where((eb) => eb.and({ id: grantId, revokedAt: null }))
        .$call(changesRow),
    async list({ userId, clientId, includeRevoked, before, limit, callsSince }) {
      const rows = await selectGrants(callsSince)
        .$if(userId !== undefined, (grants) => grants.where("g.userId", "=", userId!))
        .$if(clientId !== undefined, (grants) => grants.where("g.clientId", "=", clientId!))
        .$if(!includeRevoked, (grants) => grants.where("g.revokedAt", "is", null))
        .$if(before !== undefined, (grants) => grants.where("g.id", "<", before!))
        .orderBy("g.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toGrant);
    },
    revokeForUser: (userId, now) =>
      q
        .updateTable("grants")
        .set({ revokedAt: now })
        .where((eb) => eb.and({ userId, revokedAt: null }))
        .$call(countChangedRows),
    async revokeInStudio(studioId, now) {
      await q
        .updateTable("grants")
        .set({ revokedAt: now })
        .where("id", "in", (eb) =>
          eb
            .selectFrom("memberships as m")
            .innerJoin("users as u", "u.id", "m.userId")
            .innerJoin("grants as g", "g.userId", "u.id")
            .select("g.id")
            .where("m.studioId", "=", studioId)
            .where("g.revokedAt", "is", null)
            .where(effectiveStudioSql, "=", studioId),
        )
        .execute();
    },
    moveStudio: (grantId, studioId) =>
      q
        .updateTable("grants")
        .set({ studioId })
        .where("id", "=", grantId)
        .where((where) => where.or([where("studioId", "is", null), where("studioId", "!=", studioId)]))
        .$call(changesRow),
    async touch(grantId, now) {
      await q
        .updateTable("grants")
        .set({ lastUsedAt: now })
        .where("id", "=", grantId)
        .where((where) => where.or([where("lastUsedAt", "is", null), where("lastUsedAt", "<=", now - minutes(1))]))
        .execute();
    },
    async addCalls(grantId, day, calls) {
      await q
        .insertInto("grantCalls")
        .columns(["grantId", "day", "calls"])
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
            .columns(["grantId", "day"])
            .doUpdateSet({ calls: (eb) => eb("grantCalls.calls", "+", eb.ref("excluded.calls")) }),
        )
        .execute();
    },
  };
}

const toGrant = <Row extends { scopes: string }>({ scopes, ...row }: Row) => ({
  ...row,
  scopes: scopes.split(" ").filter(Boolean) as Scope[],
});
