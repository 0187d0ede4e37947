import { changesRow, execute, selectRows, updateRows, type Connection } from "./database.ts";
import { sandboxMetrics, type SandboxMedia, type SandboxMetric, type SandboxPost } from "./schema.ts";

/** For each fault, how many of the next publish requests have it. */
interface SandboxFaults {
  dropResponses: number;
  rejectNext: number;
  unavailableNext: number;
}

/** What the sandbox platform stores: in the database, so that it survives restarts and all processes share it. */
export interface SandboxStore {
  addMedia(media: SandboxMedia & { id: string; account: string; createdAt: number }): Promise<void>;
  /** In the order of `ids`; unknown ids are left out. */
  listMedia(account: string, ids: readonly string[]): Promise<SandboxMedia[]>;
  /** False if the account already has a post with this key. */
  addPost(post: SandboxPost & { idempotencyKey: string | null }): Promise<boolean>;
  /** The id of the post with this key. */
  findByKey(account: string, idempotencyKey: string, createdAfter: number): Promise<string | undefined>;
  /** Oldest first. */
  listPosts(): Promise<SandboxPost[]>;
  /** Sets the metrics that are given; returns false if there is no such post. */
  setMetrics(postId: string, metrics: { [Name in SandboxMetric]?: number | undefined }): Promise<boolean>;
  /** Of an account's posts with these ids. A metric that was never set is null. */
  listMetrics(
    account: string,
    ids: readonly string[],
  ): Promise<({ id: string } & Record<SandboxMetric, number | null>)[]>;
  setFaults(faults: { [Name in keyof SandboxFaults]?: number | undefined }): Promise<void>;
  /** Returns whether the next request has the fault, and if so, decrements the fault's count. */
  takeFault(name: keyof SandboxFaults): Promise<boolean>;
}

export function createSandboxStore({ q }: Connection): SandboxStore {
  return {
    addMedia: (media) => q.insertInto("sandboxMedia").values(media).$call(execute),
    async listMedia(account, ids) {
      if (ids.length === 0) return [];
      const rows = await selectRows(q, "sandboxMedia", { account })
        .select(["id", "mimeType", "bytes", "altText"])
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
      const row = await selectRows(q, "sandboxPosts", { account, idempotencyKey })
        .select("id")
        .where("createdAt", ">", createdAfter)
        .executeTakeFirst();
      return row?.id;
    },
    listPosts: () =>
      q
        .selectFrom("sandboxPosts")
        .select(["id", "account", "text", "media", "options", "replyTo", "createdAt"])
        .orderBy("createdAt")
        .orderBy("id")
        .execute(),
    setMetrics: (id, metrics) => updateRows(q, "sandboxPosts", { id }, { id, ...metrics }).$call(changesRow),
    listMetrics: async (account, ids) =>
      ids.length === 0
        ? []
        : selectRows(q, "sandboxPosts", { account })
            .select(["id", ...sandboxMetrics])
            .where("id", "in", ids)
            .execute(),
    async setFaults(faults) {
      await q.deleteFrom("sandboxFaults").execute();
      const rows = Object.entries(faults).map(([name, remaining = 0]) => ({ name, remaining }));
      if (rows.length > 0) await q.insertInto("sandboxFaults").values(rows).execute();
    },
    takeFault: (name) =>
      updateRows(q, "sandboxFaults", { name }, (eb) => ({ remaining: eb("remaining", "-", 1) }))
        .where("remaining", ">", 0)
        .$call(changesRow),
  };
}
