import { sql } from "kysely";
import type { CalendarFeedStore, FeedEntry, FeedStudio } from "#domain/ports/calendar-feeds.ts";
import { hours } from "#lib/clock.ts";
import {
  changesRow,
  countChangedRows,
  deleteRows,
  execute,
  selectRows,
  statement,
  type Connection,
} from "./database.ts";
import { publicationTime, toAccount } from "./publication-rows.ts";

/** How often the last read is stored. */
const readInterval = hours(1);

const openQuery = statement<FeedStudio>(`
  SELECT s.id, s.name, s.timezone FROM calendar_feeds f
    JOIN studios s ON s.id = f.studio_id AND s.deleted_at IS NULL
    JOIN users u ON u.id = f.user_id AND u.disabled_at IS NULL
   WHERE f.token_hash = $1`);
const recordReadQuery = statement(
  `UPDATE calendar_feeds SET last_read_at = $2
    WHERE token_hash = $1 AND (last_read_at IS NULL OR last_read_at < $2 - ${readInterval})`,
);

export function createCalendarFeedStore({ q, run }: Connection): CalendarFeedStore {
  const selectEntries = (studioId: string) =>
    q
      .selectFrom("publications as p")
      .innerJoin("posts as t", "t.id", "p.postId")
      .innerJoin("platformConnections as c", "c.id", "p.connectionId")
      .select(["p.id", "p.postId", "p.state", "p.sequence", "p.url", "p.createdAt"])
      .select(["c.platform", "c.accountId", "c.handle", "c.name as accountName"])
      .select(["t.title", "t.revision as postRevision", "t.updatedAt as postUpdatedAt"])
      .select([
        publicationTime.as("at"),
        sql<boolean>`CASE WHEN t.trashed_at IS NULL THEN 0 ELSE 1 END`.as("isTrashed"),
      ])
      .where("p.studioId", "=", studioId);
  return {
    replace: (feed) =>
      q
        .insertInto("calendarFeeds")
        .values({ ...feed, lastReadAt: null })
        .onConflict((conflict) =>
          conflict
            .columns(["studioId", "userId"])
            .doUpdateSet({ tokenHash: feed.tokenHash, createdAt: feed.createdAt, lastReadAt: null }),
        )
        .$call(execute),
    list: (studioId, userId) =>
      selectRows(q, "calendarFeeds", { studioId, ...(userId === undefined ? {} : { userId }) })
        .select(["userId", "createdAt", "lastReadAt"])
        .orderBy("userId")
        .execute(),
    delete: (studioId, userId) => deleteRows(q, "calendarFeeds", { studioId, userId }).$call(changesRow),
    deleteForUser: (userId) => deleteRows(q, "calendarFeeds", { userId }).$call(countChangedRows),
    async open(tokenHash, now) {
      const [studio] = await run(openQuery, [tokenHash]);
      if (studio) await run(recordReadQuery, [tokenHash, now]);
      return studio;
    },
    async listEntries(studioId, { from, to, limit }) {
      // Two queries, because each has an index of its own.
      const [current, canceled] = await Promise.all([
        selectEntries(studioId)
          .where(sql<boolean>`p.state <> 'canceled'`)
          .where(publicationTime, ">=", from)
          .where(publicationTime, "<=", to)
          .where((eb) => eb.or([eb("p.state", "=", "published"), eb("p.scheduledFor", "is not", null)]))
          .orderBy(publicationTime)
          .limit(limit)
          .execute(),
        selectEntries(studioId)
          .where(sql<boolean>`p.state = 'canceled' AND p.scheduled_for IS NOT NULL`)
          .where("p.scheduledFor", ">=", from)
          .where("p.scheduledFor", "<=", to)
          .orderBy("p.scheduledFor")
          .limit(limit)
          .execute(),
      ]);
      const entries: FeedEntry[] = [...current, ...canceled].map(toAccount);
      return entries.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).slice(0, limit);
    },
  };
}
