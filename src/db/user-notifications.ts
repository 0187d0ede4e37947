import type { NotificationStore } from "#domain/ports/notifications.ts";
import { countChangedRows, listStatement, selectRows, updateRows, type Connection } from "./database.ts";

/** Far below the limits of both engines on parameters, and of PostgreSQL on the length of a payload. */
const rowsPerStatement = 200;

/** More are not counted: every open page reads the count after each change. */
const maxUnread = 1000;

const versionsQuery = listStatement<{ userId: string; newestId: string | null; unread: number }>(
  (ids) => `
  SELECT u.id AS user_id, (SELECT MAX(n.id) FROM notifications n WHERE n.user_id = u.id) AS newest_id,
         (SELECT CAST(COUNT(*) AS INTEGER) FROM
           (SELECT 1 FROM notifications n WHERE n.user_id = u.id AND n.read_at IS NULL LIMIT ${maxUnread}) AS unread_rows) AS unread
    FROM users u WHERE u.id IN ${ids}`,
);

export function createNotificationStore({ q, run, notify }: Connection): NotificationStore {
  const selectVisible = (userId: string, studioId: string | undefined) =>
    q
      .selectFrom("notifications as n")
      .innerJoin("memberships as m", (join) =>
        join.onRef("m.studioId", "=", "n.studioId").onRef("m.userId", "=", "n.userId"),
      )
      .where("n.userId", "=", userId)
      .$if(studioId !== undefined, (rows) => rows.where("n.studioId", "=", studioId!));
  const announce = (userIds: readonly string[]) => notify("changes", `notification:${userIds.join()}`);

  return {
    async insert(notifications) {
      for (let from = 0; from < notifications.length; from += rowsPerStatement) {
        const rows = notifications.slice(from, from + rowsPerStatement);
        await q
          .insertInto("notifications")
          .values(rows)
          .onConflict((conflict) => conflict.columns(["activityId", "userId"]).doNothing())
          .execute();
        await announce([...new Set(rows.map(({ userId }) => userId))]);
      }
    },
    list: (userId, { studioId, before, limit }) =>
      selectVisible(userId, studioId)
        .selectAll("n")
        .$if(before !== undefined, (rows) => rows.where("n.id", "<", before!))
        .orderBy("n.id", "desc")
        .limit(limit)
        .execute(),
    listUnread: (userId, selection, limit) =>
      selectRows(q, "notifications", { userId, readAt: null, ...selection })
        .selectAll()
        .orderBy("id")
        .limit(limit)
        .execute(),
    async countUnread(userId, studioId) {
      const unread = selectVisible(userId, studioId).where("n.readAt", "is", null).select("n.id").limit(maxUnread);
      const { count } = await q
        .selectFrom(unread.as("unread"))
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    async markRead(userId, ids, now) {
      await updateRows(q, "notifications", { userId, readAt: null }, { readAt: now }).where("id", "in", ids).execute();
      await announce([userId]);
    },
    async markReadBefore(userId, { studioId, before, limit }, now) {
      const rows = selectRows(q, "notifications", {
        userId,
        readAt: null,
        ...(studioId === undefined ? {} : { studioId }),
      })
        .select("id")
        .where("at", "<", before)
        .limit(limit);
      const count = await updateRows(q, "notifications", { readAt: null }, { readAt: now })
        .where("id", "in", rows)
        .$call(countChangedRows);
      if (count > 0) await announce([userId]);
      return count;
    },
    async findVersions(userIds) {
      const rows = await run(versionsQuery, [userIds]);
      return new Map(rows.map(({ userId, newestId, unread }) => [userId, `${newestId} ${unread}`]));
    },
  };
}
