import type { SandboxFaults, SandboxStore } from "#domain/publishing/sandbox-store.ts";
import { changesRow, type Connection } from "./database.ts";

export function createSandboxStore({ q }: Connection): SandboxStore {
  return {
    async addMedia(media) {
      await q.insertInto("sandboxMedia").values(media).execute();
    },
    async listMedia(account, ids) {
      if (ids.length === 0) return [];
      const rows = await q
        .selectFrom("sandboxMedia")
        .select(["id", "mimeType", "bytes", "altText"])
        .where("account", "=", account)
        .where("id", "in", ids)
        .execute();
      return ids.flatMap((id) => rows.filter((row) => row.id === id)).map(({ id: _, ...media }) => media);
    },
    addPost: (post) =>
      q
        .insertInto("sandboxPosts")
        .values(post)
        .onConflict((conflict) => conflict.doNothing())
        .$call(changesRow),
    async findByKey(account, idempotencyKey, createdAfter) {
      const row = await q
        .selectFrom("sandboxPosts")
        .select("id")
        .where((eb) => eb.and({ account, idempotencyKey }))
        .where("createdAt", ">", createdAfter)
        .executeTakeFirst();
      return row?.id;
    },
    listPosts: () =>
      q
        .selectFrom("sandboxPosts")
        .select(["id", "account", "text", "media", "createdAt"])
        .orderBy("createdAt")
        .orderBy("id")
        .execute(),
    async setFaults(faults) {
      await q.deleteFrom("sandboxFaults").execute();
      const rows = Object.entries(faults).map(([name, remaining = 0]) => ({ name, remaining }));
      if (rows.length > 0) await q.insertInto("sandboxFaults").values(rows).execute();
    },
    takeFault: (name: keyof SandboxFaults) =>
      q
        .updateTable("sandboxFaults")
        .set((eb) => ({ remaining: eb("remaining", "-", 1) }))
        .where("name", "=", name)
        .where("remaining", ">", 0)
        .$call(changesRow),
  };
}
