import type { SandboxFaults, SandboxStore } from "#domain/publishing/sandbox-store.ts";
import type { Connection } from "./database.ts";

export function createSandboxStore({ q }: Connection): SandboxStore {
  return {
    async addMedia({ id, account, mimeType, bytes, altText, createdAt }) {
      await q
        .insertInto("sandbox_media")
        .values({ id, account, mime_type: mimeType, bytes, alt_text: altText, created_at: createdAt })
        .execute();
    },
    async listMedia(account, ids) {
      if (ids.length === 0) return [];
      const rows = await q
        .selectFrom("sandbox_media")
        .select(["id", "mime_type as mimeType", "bytes", "alt_text as altText"])
        .where("account", "=", account)
        .where("id", "in", ids)
        .execute();
      return ids.flatMap((id) => rows.filter((row) => row.id === id)).map(({ id: _, ...media }) => media);
    },
    async addPost({ id, account, text, media, idempotencyKey, createdAt }) {
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("sandbox_posts")
        .values({
          id,
          account,
          text,
          media: JSON.stringify(media),
          idempotency_key: idempotencyKey,
          created_at: createdAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows !== 0n;
    },
    async findByKey(account, idempotencyKey, createdAfter) {
      const row = await q
        .selectFrom("sandbox_posts")
        .select("id")
        .where("account", "=", account)
        .where("idempotency_key", "=", idempotencyKey)
        .where("created_at", ">", createdAfter)
        .executeTakeFirst();
      return row?.id;
    },
    async listPosts() {
      const rows = await q.selectFrom("sandbox_posts").selectAll().orderBy("created_at").orderBy("id").execute();
      return rows.map((row) => ({
        id: row.id,
        account: row.account,
        text: row.text,
        media: JSON.parse(row.media) as { mimeType: string; bytes: number; altText: string | null }[],
        createdAt: row.created_at,
      }));
    },
    async setFaults(faults) {
      await q.deleteFrom("sandbox_faults").execute();
      const rows = Object.entries(faults).map(([name, remaining = 0]) => ({ name, remaining }));
      if (rows.length > 0) await q.insertInto("sandbox_faults").values(rows).execute();
    },
    async takeFault(name: keyof SandboxFaults) {
      const { numUpdatedRows } = await q
        .updateTable("sandbox_faults")
        .set((eb) => ({ remaining: eb("remaining", "-", 1) }))
        .where("name", "=", name)
        .where("remaining", ">", 0)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
