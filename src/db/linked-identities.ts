import type { LinkedIdentityStore } from "#domain/ports/access.ts";
import { changesRow, deleteRows, execute, selectRows, type Connection } from "./database.ts";

const userColumns = ["u.id", "u.name", "u.email", "u.emailVerified", "u.disabledAt", "u.issuer", "u.subject"] as const;

export function createLinkedIdentityStore({ q }: Connection): LinkedIdentityStore {
  return {
    async findUser(issuer, subject) {
      const row = await q
        .selectFrom("linkedIdentities as l")
        .innerJoin("users as u", "u.id", "l.userId")
        .select(userColumns)
        .select("l.email as linkedEmail")
        .where((eb) => eb.and({ "l.issuer": issuer, "l.subject": subject }))
        .executeTakeFirst();
      if (!row) return undefined;
      const { linkedEmail, ...user } = row;
      return { user, companyEmail: linkedEmail };
    },
    async findSignInUser(issuer, subject) {
      const user = await q
        .selectFrom("users as u")
        .select(userColumns)
        .where((eb) => eb.and({ "u.issuer": issuer, "u.subject": subject }))
        .executeTakeFirst();
      return user && { user, companyEmail: user.emailVerified ? user.email : null };
    },
    list: (userId) =>
      selectRows(q, "linkedIdentities", { userId }).select(["issuer", "email"]).orderBy("issuer").execute(),
    insert: (identity) =>
      q
        .insertInto("linkedIdentities")
        .values(identity)
        .onConflict((conflict) => conflict.doNothing())
        .$call(changesRow),
    delete: (userId, issuer) => deleteRows(q, "linkedIdentities", { userId, issuer }).$call(execute),
  };
}
