import type { Mail, MailServer } from "#domain/model/mail.ts";
import type { MailStore } from "#domain/ports/mails.ts";
import { execute, selectRows, statement, updateRows, type Connection } from "./database.ts";

const dueSql = "state = 'waiting' AND next_attempt_at <= $1";

const hasDueQuery = statement(`
  SELECT 1 AS one WHERE NOT EXISTS (SELECT 1 FROM mail_servers WHERE locked_until > $1) AND (
    EXISTS (SELECT 1 FROM mails WHERE ${dueSql})
    OR NOT EXISTS (SELECT 1 FROM mail_servers)
    OR EXISTS (SELECT 1 FROM mail_servers WHERE failing_since IS NOT NULL AND last_error <> 'sender'))`);

const claimQuery = statement<MailServer>(`
  INSERT INTO mail_servers (name, locked_until) VALUES ('default', $2)
  ON CONFLICT (name) DO UPDATE SET locked_until = $2 WHERE mail_servers.locked_until <= $1
  RETURNING locked_until, failing_since, last_error`);

const listDueQuery = statement<Mail>(`SELECT * FROM mails WHERE ${dueSql} ORDER BY next_attempt_at, id LIMIT $2`);

const countWaitingQuery = statement<{ count: number }>(
  "SELECT CAST(COUNT(*) AS INTEGER) AS count FROM mails WHERE state = 'waiting'",
);

/** Each mail has 12 parameters, far below the limits of both engines. */
const rowsPerStatement = 200;

export function createMailStore({ q, run }: Connection): MailStore {
  return {
    listChoices: async (studioId, userIds) =>
      userIds.length === 0
        ? []
        : selectRows(q, "mailChoices", { studioId }).selectAll().where("userId", "in", userIds).execute(),
    async saveChoices(choices) {
      for (const choice of choices)
        await q
          .insertInto("mailChoices")
          .values(choice)
          .onConflict((conflict) =>
            conflict.columns(["studioId", "userId", "type"]).doUpdateSet({ frequency: choice.frequency }),
          )
          .execute();
    },

    async insert(mails) {
      for (let from = 0; from < mails.length; from += rowsPerStatement)
        await q
          .insertInto("mails")
          .values(mails.slice(from, from + rowsPerStatement))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    },
    findTest: (studioId, userId) =>
      selectRows(q, "mails", { userId, kind: "test", studioId })
        .selectAll()
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst(),
    async findRecipient(studioId, userId) {
      const row = await q
        .selectFrom("memberships as m")
        .innerJoin("users as u", "u.id", "m.userId")
        .innerJoin("studios as s", "s.id", "m.studioId")
        .select(["u.email", "s.name as studioName"])
        .where((eb) => eb.and({ "m.studioId": studioId, "m.userId": userId }))
        .where("u.emailVerified", "=", true)
        .where((eb) => eb.and({ "u.disabledAt": null, "s.deletedAt": null }))
        .executeTakeFirst();
      return row?.email == null ? undefined : { ...row, email: row.email };
    },
    countWaiting: async () => (await run(countWaitingQuery, []))[0]?.count ?? 0,

    hasDue: async (now) => (await run(hasDueQuery, [now])).length > 0,
    claimServer: async (now, lockedUntil) => (await run(claimQuery, [now, lockedUntil]))[0],
    findServer: () =>
      q.selectFrom("mailServers").select(["lockedUntil", "failingSince", "lastError"]).executeTakeFirst(),
    releaseServer: (claimedUntil, server) =>
      updateRows(q, "mailServers", { lockedUntil: claimedUntil }, server).$call(execute),
    listDue: (now, limit) => run(listDueQuery, [now, limit]),
    saveResult: ({ id, attempts }, result) =>
      updateRows(q, "mails", { id, attempts, state: "waiting" }, result).$call(execute),
  };
}
