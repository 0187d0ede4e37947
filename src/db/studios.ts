import type { StudioStore } from "#domain/ports/studios.ts";
import { changesRow, deleteRows, execute, selectRows, updateRows, type Connection } from "./database.ts";
import { containsText } from "./users.ts";

/**
 * Until the transaction ends, other transactions that call this for the same studio wait, so that parallel calls count
 * against the same limit. Returns false if the studio is deleted.
 */
export const lockForCounting = (q: Connection["q"], studioId: string): Promise<boolean> =>
  updateRows(q, "studios", { id: studioId, deletedAt: null }, ({ ref }) => ({ usedBytes: ref("usedBytes") })).$call(
    changesRow,
  );

const columns = ["id", "name", "slug", "timezone", "approval", "createdAt"] as const;

export function createStudioStore({ q, engine }: Connection): StudioStore {
  return {
    async insert({ id, name, slug, timezone, createdAt }, ownerId) {
      const isInserted = await q
        .insertInto("studios")
        .values({ id, name, slug, timezone, ownerCount: 1, createdAt })
        .onConflict((conflict) => conflict.column("slug").doNothing())
        .$call(changesRow);
      if (!isInserted) return false;
      await q
        .insertInto("memberships")
        .values({ studioId: id, userId: ownerId, role: "owner", joinedAt: createdAt })
        .execute();
      return true;
    },
    find: (studioId) => selectRows(q, "studios", { id: studioId, deletedAt: null }).select(columns).executeTakeFirst(),
    update: (studioId, changes) =>
      updateRows(q, "studios", { id: studioId, deletedAt: null }, changes).returning(columns).executeTakeFirst(),
    list: ({ search, before, limit }) =>
      selectRows(q, "studios", { deletedAt: null })
        .select(columns)
        .$if(search !== undefined, (studios) => studios.where(containsText(["name", "slug"], search!)))
        .$if(before !== undefined, (studios) => studios.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),
    async lock(studioId) {
      if (engine === "postgres") await selectRows(q, "studios", { id: studioId }).select("id").forUpdate().execute();
    },
    async markDeleted(studioId, now) {
      // The slug of a deleted studio is available again. No slug is an id, because ids contain an underscore.
      await updateRows(q, "studios", { id: studioId }, { deletedAt: now, slug: studioId }).execute();
      await deleteRows(q, "publications", { studioId }).where("state", "in", ["preparing", "committing"]).execute();
      for (const table of ["invitations", "platformConnects", "memberships"] as const)
        await deleteRows(q, table, { studioId }).execute();
    },
    async listDeleted(latestDeletion, limit) {
      const rows = await q
        .selectFrom("studios")
        .select("id")
        .where("deletedAt", "<=", latestDeletion)
        .orderBy("deletedAt")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    delete: (studioId) => deleteRows(q, "studios", { id: studioId }).where("deletedAt", "is not", null).$call(execute),
  };
}
