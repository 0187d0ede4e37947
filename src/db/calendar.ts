import { sql } from "kysely";
import type { CalendarStore } from "#domain/ports/post-summaries.ts";
import type { Connection } from "./database.ts";
import { listFirstAssets } from "./post-summaries.ts";
import { isSuperseded, publicationTime, toAccount } from "./publication-rows.ts";

export function createCalendarStore({ q }: Connection): CalendarStore {
  return {
    async list(studioId, { from, to, createdBy, limit }) {
      const rows = await q
        .selectFrom("publications as p")
        .innerJoin("posts as t", "t.id", "p.postId")
        .innerJoin("platformConnections as c", "c.id", "p.connectionId")
        .select([
          "p.id",
          "p.connectionId",
          "p.state",
          "p.scheduledFor",
          "p.createdAt",
          "p.publishedAt",
          publicationTime.as("at"),
          isSuperseded,
          "c.platform",
          "c.accountId",
          "c.handle",
          "c.name as accountName",
          "t.id as postId",
          "t.title",
          "t.status",
        ])
        .where("p.studioId", "=", studioId)
        .where(publicationTime, ">=", from)
        .where(publicationTime, "<=", to)
        .where(sql<boolean>`p.state <> 'canceled'`) // the condition of the index `publications_in_calendar`
        .where((eb) => eb.or([eb("p.state", "!=", "proposed"), eb("p.scheduledFor", "is not", null)]))
        .where("t.trashedAt", "is", null)
        .$if(createdBy !== undefined, (entries) => entries.where("t.createdBy", "=", createdBy!))
        .orderBy(publicationTime)
        .orderBy("p.id")
        .limit(limit)
        .execute();
      const assets = await listFirstAssets({ q }, [...new Set(rows.map((row) => row.postId))], 1);
      return rows.map(({ postId: id, title, status, ...row }) => ({
        ...toAccount(row),
        post: { id, studioId, title, status, assets: assets.get(id) ?? [] },
      }));
    },
  };
}
