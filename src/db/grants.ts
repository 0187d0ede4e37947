import { sql } from "kysely";
import type { Scope } from "#domain/caller.ts";
import { accessTokenLifetime } from "#domain/model/grant.ts";
import type { GrantFilter, GrantStore } from "#domain/ports/access.ts";
import { minutes } from "#lib/clock.ts";
import { changesRow, countChangedRows, execute, first, selectRows, updateRows, type Connection } from "./database.ts";
import { memberStudioSql } from "./authority.ts";

/** For grant `g` of user `u`: the studio that its next call acts on. */
const effectiveStudioSql = sql<string | null>`(${sql.raw(memberStudioSql("g.studio_id"))})`;

/** Later than any day number, so that no calls are counted. */
const maxDay = 2 ** 31 - 1;

/** The number of calls of grant `g` since this day. */
const callCountSql = (sinceDay: number) =>
  sql<number>`(SELECT CAST(COALESCE(SUM(c.calls), 0) AS BIGINT) FROM grant_calls c WHERE c.grant_id = g.id AND c.day >= ${sinceDay})`;

const tokenLifetimeSql = sql<number>`CAST(CASE WHEN g.issuer IS NULL
  THEN ${accessTokenLifetime.consent} ELSE ${accessTokenLifetime.assertion} END AS BIGINT)`;

/**
 * The refresh token remains when access tokens have expired; assertions give none. A grant that was never used has few
 * records.
 */
const unusedTokenSql = sql<number | null>`CASE WHEN g.last_used_at IS NULL THEN COALESCE((
  SELECT CAST(MAX(CASE WHEN r.model = 'AccessToken' THEN r.expires_at - ${tokenLifetimeSql} ELSE g.granted_at END) AS BIGINT)
  FROM oauth_records r WHERE r.grant_id = g.id AND r.model IN ('AccessToken', 'RefreshToken')),
  CASE WHEN g.issuer IS NOT NULL THEN g.granted_at END) END`;

export function createGrantStore({ q }: Connection): GrantStore {
  /** Newest first. */
  const selectGrants = ({ callsSince = maxDay, before, limit }: Pick<GrantFilter, "callsSince" | "before" | "limit">) =>
    q
      .selectFrom("users as u")
      .innerJoin("grants as g", "g.userId", "u.id")
      .select([
        "u.name as userName",
        "u.email as userEmail",
        effectiveStudioSql.as("effectiveStudioId"),
        unusedTokenSql.as("unusedTokenAt"),
        callCountSql(callsSince).as("calls"),
      ])
      .selectAll("g")
      .$if(before !== undefined, (grants) => grants.where("g.id", "<", before!))
      .orderBy("g.id", "desc")
      .$if(limit !== undefined, (grants) => grants.limit(limit!));
  return {
    async insert({ scopes, ...grant }) {
      const row = { ...grant, scopes: scopes.join(" "), generation: 0, rotatedAt: grant.grantedAt };
      return q
        .insertInto("grants")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .$call(changesRow);
    },
    findAsserted: (userId, clientId, issuer) =>
      first(
        selectRows(q, "grants", { userId, clientId, issuer })
          .selectAll()
          .where((where) => where.or([where("revokedAt", "is", null), where("isBlocked", "=", true)]))
          .execute(),
        toGrant,
      ),
    setScopes: (grantId, scopes) =>
      updateRows(q, "grants", { id: grantId }, { scopes: scopes.join(" ") }).$call(execute),
    unblock: (grantId) =>
      updateRows(q, "grants", { id: grantId }, { isBlocked: false }).where("isBlocked", "=", true).$call(changesRow),
    revokeAsserted: (userId, issuer, now) =>
      updateRows(q, "grants", { userId, issuer, revokedAt: null }, { revokedAt: now }).$call(execute),
    find: (grantId) => first(selectRows(q, "grants", { id: grantId }).selectAll().execute(), toGrant),
    async listVisible(studioId, { userId, includeOthers, grantId, isRevoked, ...page }) {
      const rows = await selectGrants(page)
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
        .execute();
      return rows.map(toGrant);
    },
    revoke: (grantId, now, { blocksAssertions } = { blocksAssertions: false }) =>
      q
        .updateTable("grants")
        .set((eb) => ({
          revokedAt: now,
          isBlocked: sql<boolean>`CASE WHEN ${eb.ref("issuer")} IS NULL THEN 0 ELSE ${Number(blocksAssertions)} END`,
        }))
        .where((eb) => eb.and({ id: grantId, revokedAt: null }))
        .$call(changesRow),
    async list({ userId, clientId, includeRevoked, ...page }) {
      const rows = await selectGrants(page)
        .$if(userId !== undefined, (grants) => grants.where("g.userId", "=", userId!))
        .$if(clientId !== undefined, (grants) => grants.where("g.clientId", "=", clientId!))
        .$if(!includeRevoked, (grants) => grants.where("g.revokedAt", "is", null))
        .execute();
      return rows.map(toGrant);
    },
    revokeForUser: (userId, now) =>
      updateRows(q, "grants", { userId, revokedAt: null }, { revokedAt: now }).$call(countChangedRows),
    revokeInStudio: (studioId, now) =>
      updateRows(q, "grants", { revokedAt: null }, { revokedAt: now })
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
        .$call(execute),
    moveStudio: (grantId, studioId) =>
      updateRows(q, "grants", { id: grantId }, { studioId })
        .where((where) => where.or([where("studioId", "is", null), where("studioId", "!=", studioId)]))
        .$call(changesRow),
    touch: (grantId, now) =>
      updateRows(q, "grants", { id: grantId }, { lastUsedAt: now })
        .where((where) => where.or([where("lastUsedAt", "is", null), where("lastUsedAt", "<=", now - minutes(1))]))
        .$call(execute),
    addCalls: (grantId, day, calls) =>
      q
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
        .$call(execute),
  };
}

const toGrant = <Row extends { scopes: string }>({ scopes, ...row }: Row) => ({
  ...row,
  scopes: scopes.split(" ").filter(Boolean) as Scope[],
});
