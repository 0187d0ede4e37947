import type { ActivityStore } from "#domain/activity/ports.ts";
import type { Connection } from "./client.ts";

export function activityStore({ q }: Connection): ActivityStore {
  return {
    async insert(row) {
      await q
        .insertInto("activity")
        .values({
          id: row.id,
          studio_id: row.studioId,
          user_id: row.userId,
          client_id: row.clientId,
          client_name: row.clientName,
          action: row.action,
          subject_id: row.subjectId,
          detail: JSON.stringify(row.detail),
          at: row.at,
        })
        .execute();
    },
    async list(studioId, before, limit) {
      const rows = await q
        .selectFrom("activity as a")
        .leftJoin("users as u", "u.id", "a.user_id")
        .selectAll("a")
        .select("u.name as user_name")
        .where("a.studio_id", "=", studioId)
        .$if(before !== undefined, (activity) => activity.where("a.id", "<", before!))
        .orderBy("a.id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        studioId: row.studio_id,
        userId: row.user_id,
        userName: row.user_name,
        clientId: row.client_id,
        clientName: row.client_name,
        action: row.action,
        subjectId: row.subject_id,
        detail: JSON.parse(row.detail) as Record<string, unknown>,
        at: row.at,
      }));
    },
  };
}
