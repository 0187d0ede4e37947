import type { SessionStore } from "#domain/access/ports.ts";
import { statement, type Connection } from "./client.ts";
import type { Schema } from "./schema.ts";
import { toUser } from "./users.ts";

const findUser = statement<Schema["users"]>(
  "find_session_user",
  "SELECT u.* FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = $1 AND s.expires_at > $2",
);

export function sessionStore({ q, run }: Connection): SessionStore {
  return {
    async insert(tokenHash, userId, now, expiresAt) {
      await q
        .insertInto("sessions")
        .values({ token_hash: tokenHash, user_id: userId, created_at: now, expires_at: expiresAt })
        .execute();
    },
    async findUser(tokenHash, now) {
      const [row] = await run(findUser, [tokenHash, now]);
      return row && toUser(row);
    },
    async delete(tokenHash) {
      await q.deleteFrom("sessions").where("token_hash", "=", tokenHash).execute();
    },
  };
}
