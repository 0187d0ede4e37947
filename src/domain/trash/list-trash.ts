import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { toUserOrClient, type UserOrClient } from "../model/user-or-client.ts";
import { pageInput, parseTimeCursor, toTimePage } from "../model/page.ts";
import { authorize } from "../policy.ts";

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
