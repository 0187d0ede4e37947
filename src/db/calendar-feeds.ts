import { sql, type RawBuilder } from "kysely";
import type { CalendarFeedStore } from "#domain/ports/calendar-feeds.ts";
import { countChangedRows, deleteRows, execute, selectRows, type Connection } from "./database.ts";
import { publicationTime, toAccount } from "./publication-rows.ts";

export function createCalendarFeedStore({ q }: Connection): CalendarFeedStore {
  return {
    replace: (feed) =>
      q
        .insertInto("calendarFeeds")
        .values(feed)
        .onConflict((conflict) => conflict.columns(["studioId", "userId"]).doUpdateSet(feed))
        .$call(execute),
    find: (studioId, userId) =>
      selectRows(q, "calendarFeeds", { studioId, userId }).select("createdAt").executeTakeFirst(),
    delete: (studioId, userId) => deleteRows(q, "calendarFeeds", { studioId, userId }).$call(execute),
    deleteForUser: (userId) => deleteRows(q, "calendarFeeds", { userId }).$call(countChangedRows),
    findStudio: (tokenHash) =>
      selectRows(q, "calendarFeeds", { tokenHash })
        .innerJoin("studios as s", "s.id", "calendarFeeds.studioId")
        .innerJoin("users as u", "u.id", "calendarFeeds.userId")
        .select(["s.id", "s.name"])
        .where((eb) => eb.and({ "s.deletedAt": null, "u.disabledAt": null }))
        .executeTakeFirst(),
    async listEntries(studioId, { from, to, limit }) {
      const listWhere = async (condition: string, time: RawBuilder<number>) => {
        const rows = await q
          .selectFrom("publications as p")
          .innerJoin("posts as t", "t.id", "p.postId")
          .innerJoin("platformConnections as c", "c.id", "p.connectionId")
          .select(["p.id", "p.postId", "p.state", "p.sequence", "p.url", "p.createdAt", time.as("at")])
          .select(["c.platform", "c.accountId", "c.handle", "c.name as accountName"])
          .select(["t.title", "t.revision as postRevision", "t.updatedAt as postUpdatedAt", "t.trashedAt"])
          .where("p.studioId", "=", studioId)
          .where(sql<boolean>`${sql.raw(condition)}`)
          .where(time, ">=", from)
          .where(time, "<=", to)
          .orderBy(time)
          .limit(limit)
          .execute();
        return rows.map(toAccount);
      };
      // Two queries, because each has an index of its own.
      const [entries, canceled] = await Promise.all([
        listWhere(
          "p.state <> 'canceled' AND (p.published_at IS NOT NULL OR p.scheduled_for IS NOT NULL)",
          publicationTime,
        ),
        listWhere("p.state = 'canceled' AND p.scheduled_for IS NOT NULL", sql<number>`p.scheduled_for`),
      ]);
      return [...entries, ...canceled].toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).slice(0, limit);
    },
  };
}
