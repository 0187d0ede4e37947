import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
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

/** Every row of every table that holds content, to compare. */
export async function readContentRows({ database }: Fixture): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const { name } of await database.q.introspection.getTables()) {
    // The search index is derived from the content.
    if (ignoredTables.has(name) || /^sqlite_|_search|_tokens/.test(name)) continue;
    const result = await sql<object>`SELECT * FROM ${sql.table(name)}`.execute(database.q);
    rows[name] = result.rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return rows;
}

/** How a user's access to a studio can end while a call of theirs runs, in statements that no verb is involved in. */
export const accessEndings = {
  async removal({ database }: Fixture, { user, studio }: Caller) {
    await database.q
      .deleteFrom("memberships")
      .where("user_id", "=", user.id)
      .where("studio_id", "=", studio.id)
      .execute();
  },
  async credential({ database }: Fixture, { credential }: Caller) {
    switch (credential.kind) {
      case "session":
        await database.q.deleteFrom("sessions").where("token_hash", "=", credential.tokenHash).execute();
        return;
      case "grant":
        await database.q.updateTable("grants").set({ revoked_at: 1 }).where("id", "=", credential.grantId).execute();
        return;
      case "uploadLink":
        await database.q
          .updateTable("upload_links")
          .set({ withdrawn_at: 1 })
          .where("id", "=", credential.linkId)
          .execute();
    }
  },
} as const;

export type AccessEnding = keyof typeof accessEndings;

export interface EndingAccess {
  transact: Deps["transact"];
  /** Ends the access of the next caller before their transaction with this number, counted from 1. */
  endBefore(ending: AccessEnding, transactionNumber: number): void;
  /** Whether the access ended. If so, asserts that no content has changed since. */
  checkUnchanged(message: string): Promise<boolean>;
}

/** Wraps `transact` of the fixture, so that a test can end a caller's access right before one of their transactions. */
export function createEndingAccess(fixture: Fixture): EndingAccess {
  let plan: { ending: AccessEnding; transactionNumber: number } | undefined;
  let transactionCount = 0;
  let rowsAtEnd: Record<string, unknown[]> | undefined;
  return {
    async transact(authority, work, options) {
      const isCaller = "user" in authority;
      if (plan && isCaller && ++transactionCount === plan.transactionNumber) {
        const { ending } = plan;
        plan = undefined;
        await accessEndings[ending](fixture, authority as Caller);
        rowsAtEnd = await readContentRows(fixture);
      }
      return fixture.deps.transact(authority, work, options);
    },
    endBefore(ending, transactionNumber) {
      plan = { ending, transactionNumber };
      transactionCount = 0;
      rowsAtEnd = undefined;
    },
    async checkUnchanged(message) {
      plan = undefined;
      if (rowsAtEnd === undefined) return false;
      assert.deepEqual(await readContentRows(fixture), rowsAtEnd, message);
      return true;
    },
  };
}
