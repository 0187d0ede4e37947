import type { SessionStore } from "#domain/access/ports.ts";
import { statement, type Connection } from "./client.ts";
import { toUser, type UserRow } from "./users.ts";

const findSessionUserQuery = statement<UserRow>(
  "find_session_user",
  `SELECT u.* FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL`,
);

export function createSessionStore({ q, run }: Connection): SessionStore {
  return {
    async insert(tokenHash, userId, now, expiresAt) {
      await q
        .insertInto("sessions")
        .values({ token_hash: tokenHash, user_id: userId, created_at: now, expires_at: expiresAt })
        .execute();
    },
    async findUser(tokenHash, now) {
      const [row] = await run(findSessionUserQuery, [tokenHash, now]);
      return row && toUser(row);
    },
    async delete(tokenHash) {
      await q.deleteFrom("sessions").where("token_hash", "=", tokenHash).execute();
    },
    async deleteForUser(userId) {
      const { numDeletedRows } = await q.deleteFrom("sessions").where("user_id", "=", userId).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
