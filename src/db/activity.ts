import type { Selectable } from "kysely";
import type { ActivityRow, ActivityStore } from "#domain/activity/record.ts";
import { findObjectNames } from "./activity-names.ts";
import { statement, type Connection } from "./client.ts";
import type { Schema } from "./schema.ts";

/** Runs for every change. */
const insertQuery = statement(
  "insert_activity",
  `INSERT INTO activity (id, studio_id, user_id, client_id, client_name, action, subject_id, detail, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

export function createActivityStore({ q, run }: Connection): ActivityStore {
  return {
    async insert(row) {
      const { id, studioId, userId, clientId, clientName, action, subjectId, at } = row;
      const detail = JSON.stringify(row.detail);
      await run(insertQuery, [id, studioId, userId, clientId, clientName, action, subjectId, detail, at]);
    },
    async list(studioId, { userId, clientId, action, subjectId, before, limit }) {
      const rows = await q
        .selectFrom("activity as a")
        .leftJoin("users as u", "u.id", "a.user_id")
        .leftJoin("posts as p", (join) => join.onRef("p.id", "=", "a.subject_id").on("p.studio_id", "=", studioId))
        .leftJoin("users as s", "s.id", "a.subject_id")
        .leftJoin("publications as q", (join) =>
          join.onRef("q.id", "=", "a.subject_id").on("q.studio_id", "=", studioId),
        )
        .leftJoin("posts as qp", "qp.id", "q.post_id")
        .selectAll("a")
        .select(["u.name as user_name", (eb) => eb.fn.coalesce("p.title", "s.name", "qp.title").as("subject_name")])
        .where("a.studio_id", "=", studioId)
        .$if(userId !== undefined, (activity) => activity.where("a.user_id", "=", userId!))
        .$if(clientId !== undefined, (activity) => activity.where("a.client_id", "=", clientId!))
        .$if(action !== undefined, (activity) => activity.where("a.action", "=", action!))
        .$if(subjectId !== undefined, (activity) => activity.where("a.subject_id", "=", subjectId!))
        .$if(before !== undefined, (activity) => activity.where("a.id", "<", before!))
        .orderBy("a.id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...toActivity(row), userName: row.user_name, subjectName: row.subject_name }));
    },
    async find(studioId, id) {
      const row = await q
        .selectFrom("activity")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("id", "=", id)
        .executeTakeFirst();
      return row && toActivity(row);
    },
    findNames: (studioId, objects) => findObjectNames(q, studioId, objects),
  };
}

function toActivity(row: Selectable<Schema["activity"]>): ActivityRow {
  return {
    id: row.id,
    studioId: row.studio_id,
    userId: row.user_id,
    clientId: row.client_id,
    clientName: row.client_name,
    action: row.action,
    subjectId: row.subject_id,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
    at: row.at,
  };
}
