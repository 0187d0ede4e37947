import { sql } from "kysely";
import type { CalendarStore } from "#domain/publishing/list-calendar.ts";
import type { Connection } from "./database.ts";
import { listFirstAssets } from "./post-summaries.ts";
import { isSupersededExpression } from "./publication-rows.ts";

export function createCalendarStore({ q }: Connection): CalendarStore {
  return {
    async list(studioId, { from, to, createdBy, limit }) {
      const at = sql<number>`coalesce(p.published_at, p.scheduled_for, p.created_at)`;
      const rows = await q
        .selectFrom("publications as p")
        .innerJoin("posts as t", "t.id", "p.post_id")
        .innerJoin("platform_connections as c", "c.id", "p.connection_id")
        .select([
          "p.id",
          "p.connection_id",
          "p.state",
          "p.scheduled_for",
          "p.created_at",
          "p.published_at",
          at.as("at"),
          isSupersededExpression.as("is_superseded"),
          "c.platform",
          "c.account_id",
          "c.handle",
          "c.name",
          "t.id as post_id",
          "t.title",
          "t.status",
        ])
        .where("p.studio_id", "=", studioId)
        .where(at, ">=", from)
        .where(at, "<=", to)
        .where(sql<boolean>`p.state <> 'canceled'`) // the condition of the index `publications_in_calendar`
        .where((eb) => eb.or([eb("p.state", "!=", "proposed"), eb("p.scheduled_for", "is not", null)]))
        .where("t.trashed_at", "is", null)
        .$if(createdBy !== undefined, (entries) => entries.where("t.created_by", "=", createdBy!))
        .orderBy(at)
        .orderBy("p.id")
        .limit(limit)
        .execute();
      const assets = await listFirstAssets({ q }, [...new Set(rows.map((row) => row.post_id))], 1);
      return rows.map((row) => ({
        id: row.id,
        connectionId: row.connection_id,
        platform: row.platform,
        account: { id: row.account_id, handle: row.handle, name: row.name },
        state: row.state,
        scheduledFor: row.scheduled_for,
        createdAt: row.created_at,
        publishedAt: row.published_at,
        at: row.at,
        isSuperseded: row.is_superseded === 1,
        post: {
          id: row.post_id,
          studioId,
          title: row.title,
          status: row.status,
          assets: assets.get(row.post_id) ?? [],
        },
      }));
    },
  };
}
