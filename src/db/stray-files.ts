import type { StrayFileStore } from "#domain/ports/assets.ts";
import { execute, statement, type Connection } from "./database.ts";

const claimForAssetQuery = statement<{ key: string }>(
  "DELETE FROM stray_files WHERE key = $1 AND doomed = 0 RETURNING key",
);

const markDueKeysForDeletionQuery = statement<{ key: string }>(`
  UPDATE stray_files SET doomed = 1
   WHERE key IN (SELECT key FROM stray_files WHERE due_at <= $1 ORDER BY due_at LIMIT $2) RETURNING key`);

export function createStrayFileStore({ q, run }: Connection): StrayFileStore {
  return {
    reserve: (key, dueAt) =>
      q.insertInto("strayFiles").values({ key, dueAt, isMarkedForDeletion: false }).$call(execute),
    claimForAsset: async (key) => (await run(claimForAssetQuery, [key])).length > 0,
    async markForDeletion(keys, dueAt) {
      if (keys.length === 0) return;
      await q
        .insertInto("strayFiles")
        .values(keys.map((key) => ({ key, dueAt, isMarkedForDeletion: true })))
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ dueAt, isMarkedForDeletion: true }))
        .execute();
    },
    markDueKeysForDeletion: async (now, limit) =>
      (await run(markDueKeysForDeletionQuery, [now, limit])).map(({ key }) => key),
    async deleteRecords(keys) {
      if (keys.length === 0) return;
      await q.deleteFrom("strayFiles").where("key", "in", keys).where("isMarkedForDeletion", "=", true).execute();
    },
  };
}
