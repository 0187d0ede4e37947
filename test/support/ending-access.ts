import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Database } from "#db/database.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { Fixture } from "./engines.ts";

/** Tables that a call may change after its access ended, because they are no content of a studio or derived from it. */
const ignoredTables = new Set([
  "grant_calls",
  "grants",
  "image_inspections",
  "memberships",
  "mcp_sessions",
  "oauth_records",
  "rate_limits",
  "sessions",
  "stray_files",
]);

const contentTables = new WeakMap<Database, string[]>();

async function listContentTables(database: Database): Promise<string[]> {
  const tables = await database.q.introspection.getTables();
  // The search index is derived from the content.
  return tables
    .map(({ name }) => name)
    .filter((name) => !ignoredTables.has(name) && !/^sqlite_|_search|_tokens/.test(name));
}

/** Every row of every table that holds content, to compare. */
export async function readContentRows({ database }: Fixture): Promise<Record<string, unknown[]>> {
  const tables = contentTables.get(database) ?? (await listContentTables(database));
  contentTables.set(database, tables);
  const rows: Record<string, unknown[]> = {};
  for (const name of tables) {
    const result = await sql<object>`SELECT * FROM ${sql.table(name)}`.execute(database.q);
    rows[name] = result.rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return rows;
}

/**
 * How a user's access to a studio can end while a call of theirs runs, in statements that no verb is involved in. Each
 * returns a function that restores the access.
 */
export const accessEndings = {
  async removal({ database: { q } }: Fixture, { user, studio }: Caller) {
    const [membership] = await q
      .deleteFrom("memberships")
      .where("userId", "=", user.id)
      .where("studioId", "=", studio.id)
      .returningAll()
      .execute();
    return async () => void (membership && (await q.insertInto("memberships").values(membership).execute()));
  },
  async credential({ database: { q } }: Fixture, { credential }: Caller) {
    switch (credential.kind) {
      case "session": {
        const { tokenHash } = credential;
        const [session] = await q.deleteFrom("sessions").where("tokenHash", "=", tokenHash).returningAll().execute();
        return async () => void (session && (await q.insertInto("sessions").values(session).execute()));
      }
      case "grant": {
        const revoke = (revokedAt: number | null) =>
          q.updateTable("grants").set({ revokedAt }).where("id", "=", credential.grantId).execute();
        await revoke(1);
        return async () => void (await revoke(null));
      }
      case "uploadLink": {
        const withdraw = (at: number | null) =>
          q.updateTable("uploadLinks").set({ withdrawnAt: at }).where("id", "=", credential.linkId).execute();
        await withdraw(1);
        return async () => void (await withdraw(null));
      }
      case "reviewLink": {
        const withdraw = (at: number | null) =>
          q.updateTable("reviewLinks").set({ withdrawnAt: at }).where("id", "=", credential.linkId).execute();
        await withdraw(1);
        return async () => void (await withdraw(null));
      }
    }
  },
} as const;

export type AccessEnding = keyof typeof accessEndings;

export interface EndingAccess {
  transact: Deps["transact"];
  /**
   * Runs a call, and ends its caller's access before their transaction with this number, counted from 1. Then asserts
   * that no content has changed since, and restores the access. Returns undefined if the call made fewer transactions.
   */
  endDuring(
    ending: AccessEnding,
    transactionNumber: number,
    run: () => Promise<string>,
    label: string,
  ): Promise<string | undefined>;
}

/** Wraps `transact` of the fixture, so that a test can end a caller's access right before one of their transactions. */
export function createEndingAccess(fixture: Fixture): EndingAccess {
  let beforeTransaction = async (_caller: Caller): Promise<void> => {};
  return {
    async transact(authority, work, options) {
      if ("user" in authority) await beforeTransaction(authority as Caller);
      return fixture.deps.transact(authority, work, options);
    },
    async endDuring(ending, transactionNumber, run, label) {
      let transactionCount = 0;
      let restore = async (): Promise<void> => {};
      let rowsAtEnd: Record<string, unknown[]> | undefined;
      beforeTransaction = async (caller) => {
        if (++transactionCount !== transactionNumber) return;
        restore = await accessEndings[ending](fixture, caller);
        rowsAtEnd = await readContentRows(fixture);
      };
      const outcome = await run();
      beforeTransaction = async () => {};
      if (rowsAtEnd === undefined) return undefined;
      assert.deepEqual(await readContentRows(fixture), rowsAtEnd, label);
      await restore();
      return outcome;
    },
  };
}
