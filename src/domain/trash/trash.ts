import { z } from "zod";
import { seconds, toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Caller } from "../caller.ts";
import { changeAsset } from "../changes/change-asset.ts";
import { changePost } from "../changes/change-post.ts";
import { expireTrash } from "../changes/delete-content.ts";
import { retryOnConflict } from "../model/conflict.ts";
import { pageInput, parseTimeCursor, toTimePage } from "../model/page.ts";
import { toUserOrClient, type UserOrClient } from "../model/user-or-client.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import type { TimePosition } from "../model/page.ts";
import { runLongWork } from "../steps/long-work.ts";
import { sweepTrash } from "../steps/sweep-trash.ts";

export const listTrashInput = z.strictObject(pageInput);

export interface TrashItemView {
  id: string;
  type: "post" | "asset";
  title: string;
  deletedAt: string;
  deletedBy: UserOrClient | null;
  /** The AI client that deleted the item for the user. */
  deletedThrough: string | null;
  expiresAt: string;
}

/** Lists deleted posts and assets that can be restored, most recently deleted first. */
export async function listTrash(
  deps: Pick<Deps, "trash" | "clock">,
  caller: Caller,
  input: z.infer<typeof listTrashInput>,
): Promise<{ items: TrashItemView[]; nextCursor: string | null }> {
  authorize(caller, "posts.read");
  const listKey = `trash ${caller.studio.id}`;
  const after = parseTimeCursor(input.cursor, listKey);
  const rows = await deps.trash.list(caller.studio.id, deps.clock(), after, input.limit + 1);
  const { items, nextCursor } = toTimePage(rows, input.limit, listKey, ({ at }) => at);
  return {
    items: items.map((item) => ({
      id: item.id,
      type: item.type,
      title: item.title,
      deletedAt: toIsoTime(item.at),
      deletedBy: toUserOrClient(item.by, item.byName),
      deletedThrough: item.clientName,
      expiresAt: toIsoTime(item.expiresAt),
    })),
    nextCursor,
  };
}

/** How long the response waits for the deletion; the sweeper deletes the remaining files. */
const sweepTimeoutMs = seconds(4);

/** Items per transaction: few, so that other writes wait only briefly. */
const batchSize = 200;

/**
 * Deletes everything in the studio's trash for good. Once the transaction of a batch commits, its items can't be
 * restored; if the process is killed, the other items stay in the trash.
 */
export async function emptyTrash(
  deps: Pick<Deps, "trash" | "posts" | "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock" | "longWork">,
  caller: Caller,
): Promise<void> {
  authorize(caller, "trash.empty");
  await runLongWork(deps, caller, async () => {
    if ((await expireItems(deps, caller)) === 0) return;
    const deadline = deps.clock() + sweepTimeoutMs;
    await sweepTrash(deps, { pause: async () => {}, shouldStop: () => deps.clock() >= deadline }).catch(() => {
      // The trash is empty for its users. The sweeper retries, and logs errors.
    });
  });
}

/** Makes what is in the trash now expire, in batches; returns the number of items. */
async function expireItems(
  deps: Pick<Deps, "trash" | "transact" | "newId" | "clock">,
  caller: Caller,
): Promise<number> {
  const now = deps.clock();
  let [count, after]: [number, TimePosition | undefined] = [0, undefined];
  for (;;) {
    const items: TimePosition[] = await deps.trash.list(caller.studio.id, now, after, batchSize);
    if (items.length === 0) return count;
    count += await deps.transact(caller, (tx) => expireTrash(deps, tx, caller, items, now));
    after = items.at(-1);
  }
}

/** Restores a deleted post with its assets, or a deleted asset. */
export async function restoreFromTrash(
  deps: Pick<Deps, "assets" | "transact" | "newId" | "clock" | "limits" | "platforms">,
  caller: Caller,
  input: { id: string },
): Promise<{ id: string; type: "post" | "asset"; title: string }> {
  const { id } = input;
  const type = isId("post", id) ? "post" : "asset";
  authorize(caller, type === "post" ? "posts.write" : "assets.write");
  if (type === "post") return { id, type, title: await restoreTrashedPost(deps, caller, id) };
  if (!isId("asset", id)) throw notFoundError("trash_item");
  return { id, type, title: await restoreTrashedAsset(deps, caller, id) };
}

function restoreTrashedPost(
  deps: Pick<Deps, "transact" | "newId" | "clock" | "limits" | "platforms">,
  caller: Caller,
  postId: string,
): Promise<string> {
  return deps.transact(caller, async (tx) => {
    const { post } = await changePost(deps, tx, caller, postId, {
      fields: { trash: null },
      keepsApproval: tx.mayPublish,
      activity: ({ title }) => ({ action: "post.restored", detail: { title } }),
      createError: () => notFoundError("trash_item"),
    });
    return post.title;
  });
}

function restoreTrashedAsset(
  deps: Pick<Deps, "assets" | "transact" | "newId" | "clock" | "limits" | "platforms">,
  caller: Caller,
  assetId: string,
): Promise<string> {
  return retryOnConflict(async () => {
    const asset = await deps.assets.findWithTrash(caller.studio.id, assetId);
    // An asset that was deleted with its post is restored with the post, not alone.
    if (asset?.postId !== null) throw notFoundError("trash_item");
    if (asset.trashExpiresAt === null || asset.trashExpiresAt <= deps.clock()) throw notFoundError("trash_item");
    await deps.transact(caller, (tx) =>
      changeAsset(deps, tx, caller, asset, {
        change: { trash: null },
        keepsApproval: tx.mayPublish,
        activity: ({ filename }) => ({ action: "asset.restored", detail: { filename } }),
      }),
    );
    return asset.filename;
  });
}
