import { sql } from "kysely";
import type { ActivityRow } from "#domain/model/activity.ts";
import type { Delivery, DeliveryEvent, Webhook } from "#domain/model/webhook.ts";
import type { WebhookStore } from "#domain/ports/webhooks.ts";
import {
  changesRow,
  countChangedRows,
  deleteRows,
  execute,
  first,
  selectRows,
  statement,
  updateRows,
  type Connection,
} from "./database.ts";
import { listColumns } from "./columns.ts";
import { lockForCounting } from "./studios.ts";

const columns = [
  "id",
  "studioId",
  "url",
  "events",
  "secrets",
  "createdAt",
  "lockedUntil",
  "failingSince",
  "disabledAt",
  "disabledReason",
] as const;

const dueSql = "due_at <= $1 AND due_at IS NOT NULL AND locked_until <= $1 AND disabled_at IS NULL";

const hasDueQuery = statement(`SELECT 1 AS one FROM webhooks WHERE ${dueSql} LIMIT 1`);

/**
 * Studios with the fewest endpoints in use come first, then the endpoints whose last turn ended longest ago: an endpoint
 * with thousands of deliveries, or one that takes long, delays no other. Checks the lock again in the update: another
 * process may have claimed the webhook since the selection.
 */
const claimDueQuery = statement<Webhook>(
  `UPDATE webhooks SET locked_until = $2
    WHERE locked_until <= $1 AND disabled_at IS NULL AND id IN (
      SELECT id FROM (
        SELECT id, due_at, locked_until, ROW_NUMBER() OVER (PARTITION BY studio_id ORDER BY locked_until, due_at, id)
               + (SELECT COUNT(*) FROM webhooks used WHERE used.studio_id = webhooks.studio_id AND used.locked_until > $1) AS turn
          FROM webhooks
         WHERE ${dueSql} AND EXISTS (SELECT 1 FROM studios s WHERE s.id = studio_id AND s.deleted_at IS NULL)) candidates
       ORDER BY turn, locked_until, due_at, id LIMIT $3)
   RETURNING ${listColumns(columns)}`,
);

const byStudiosSql = (list: string): string => `SELECT id, studio_id, events FROM webhooks WHERE studio_id IN ${list}`;

const byStudiosQuery = statement<Pick<Webhook, "id" | "studioId" | "events">>(
  `${byStudiosSql("(SELECT jsonb_array_elements_text(CAST($1 AS jsonb)))")} FOR KEY SHARE`,
  { sqlite: byStudiosSql("(SELECT value FROM json_each($1))") },
);

const activityColumns = [
  "userId",
  "clientId",
  "clientName",
  "action",
  "subjectId",
  "detail",
  "at",
] as const satisfies (keyof ActivityRow)[];

/** Each has 11 parameters, and a statement must stay far below the limits of both engines. */
const maxRows = 200;

export function createWebhookStore({ q, run, engine }: Connection): WebhookStore {
  const selectDeliveries = (webhookId: string) =>
    q
      .selectFrom("webhookDeliveries as d")
      .leftJoin("activity as a", "a.id", "d.activityId")
      .select(activityColumns.map((column) => `a.${column}` as const))
      .selectAll("d")
      .where("d.webhookId", "=", webhookId);

  return {
    async insert(webhook, limit) {
      const { studioId } = webhook;
      if (!(await lockForCounting(q, studioId))) return false;
      const { count } = await selectRows(q, "webhooks", { studioId })
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      if (count >= limit) return false;
      await q.insertInto("webhooks").values(webhook).execute();
      return true;
    },
    find: (studioId, id) => selectRows(q, "webhooks", { studioId, id }).select(columns).executeTakeFirst(),
    lock: (studioId, id) =>
      selectRows(q, "webhooks", { studioId, id })
        .select(columns)
        .$if(engine === "postgres", (query) => query.forNoKeyUpdate())
        .executeTakeFirst(),
    list: (studioId) => selectRows(q, "webhooks", { studioId }).select(columns).orderBy("id").execute(),
    listByStudios: (studioIds) => run(byStudiosQuery, [studioIds]),
    update: (id, change) => updateRows(q, "webhooks", { id }, change).$call(execute),
    delete: (id) => deleteRows(q, "webhooks", { id }).$call(execute),

    async addDeliveries(deliveries, dueAt) {
      for (let from = 0; from < deliveries.length; from += maxRows)
        await q
          .insertInto("webhookDeliveries")
          .values(deliveries.slice(from, from + maxRows))
          .execute();
      const ids = [...new Set(deliveries.map(({ webhookId }) => webhookId))].toSorted();
      if (ids.length > 0 && dueAt !== null)
        await q.updateTable("webhooks").set({ dueAt }).where("id", "in", ids).execute();
    },
    findDelivery: (webhookId, id) =>
      first(selectDeliveries(webhookId).where("d.id", "=", id).execute(), toDeliveryEvent),
    async listDeliveries(webhookId, { state, before, limit }) {
      const rows = await selectDeliveries(webhookId)
        .$if(state !== undefined, (query) => query.where("d.state", "=", state!))
        .$if(before !== undefined, (query) => query.where("d.id", "<", before!))
        .orderBy("d.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toDeliveryEvent);
    },
    async requeue(webhookId, selection, now) {
      const count = await q
        .updateTable("webhookDeliveries")
        .set({ state: "waiting", attempts: 0, nextAttemptAt: now })
        .where("webhookId", "=", webhookId)
        .where("id", "in", (eb) =>
          "id" in selection
            ? sql<string>`(${selection.id})`
            : eb
                .selectFrom("webhookDeliveries")
                .select("id")
                .where((row) => row.and({ webhookId, state: "failed" as const }))
                .where("id", ">=", selection.from)
                .orderBy("id")
                .limit(selection.limit),
        )
        .$call(countChangedRows);
      if (count > 0) await updateRows(q, "webhooks", { id: webhookId }, { dueAt: now }).$call(execute);
      return count;
    },
    deleteDeliveries: (webhookId, limit) =>
      q
        .deleteFrom("webhookDeliveries")
        .where("id", "in", selectRows(q, "webhookDeliveries", { webhookId }).select("id").orderBy("id").limit(limit))
        .$call(countChangedRows),

    hasDue: async (now) => (await run(hasDueQuery, [now])).length > 0,
    claimDue: (now, lockedUntil, limit) => run(claimDueQuery, [now, lockedUntil, limit]),
    async listDue(webhookId, now, limit) {
      const rows = await selectDeliveries(webhookId)
        .where("d.state", "=", "waiting")
        .where("d.nextAttemptAt", "<=", now)
        .orderBy("d.nextAttemptAt")
        .orderBy("d.id")
        .limit(limit)
        .execute();
      return rows.map(toDeliveryEvent);
    },
    async saveResult({ id, attempts }, result) {
      await updateRows(q, "webhookDeliveries", { id, attempts, state: "waiting" }, result).$call(changesRow);
    },
    release: (webhookId, lockedUntil) =>
      updateRows(q, "webhooks", { id: webhookId }, (eb) => ({
        lockedUntil,
        dueAt: eb
          .selectFrom("webhookDeliveries")
          .select((row) => row.fn.min("nextAttemptAt").as("dueAt"))
          .where((row) => row.and({ webhookId, state: "waiting" as const })),
      })).$call(execute),
  };
}

type DeliveryRow = Delivery & { [Column in (typeof activityColumns)[number]]: unknown };

function toDeliveryEvent(row: DeliveryRow): DeliveryEvent {
  const { userId, clientId, clientName, action, subjectId, detail, at, ...delivery } = row;
  const { activityId, studioId } = delivery;
  if (activityId === null) return { ...delivery, activity: null };
  const activity = { id: activityId, studioId, userId, clientId, clientName, action, subjectId, at };
  return { ...delivery, activity: { ...activity, detail: JSON.parse(detail as string) as object } as ActivityRow };
}
