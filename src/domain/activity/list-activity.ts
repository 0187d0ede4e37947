import { z } from "zod";
import { isoTime } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { pageInput, readCursor, toPage } from "../page.ts";
import { authorize } from "../policy.ts";

export const listActivityInput = z.strictObject(pageInput);

export const activityView = z.object({
  id: z.string(),
  action: z.string(),
  at: z.string(),
  user: z.object({ id: z.string(), name: z.string() }).nullable(),
  client: z.object({ id: z.string(), name: z.string() }).nullable(),
  subjectId: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
});

export const listActivityOutput = z.object({ activity: z.array(activityView), nextCursor: z.string().nullable() });

/** Who did what in this studio, through which client, newest first. */
export async function listActivity(
  deps: Pick<Deps, "activity">,
  caller: Caller,
  input: z.infer<typeof listActivityInput>,
): Promise<z.infer<typeof listActivityOutput>> {
  authorize(caller, "activity.list");
  const list = `activity ${caller.studio.id}`;
  const rows = await deps.activity.list(caller.studio.id, readCursor(input.cursor, list), input.limit + 1);
  const { items, nextCursor } = toPage(rows, input.limit, list);
  return {
    activity: items.map((row) => ({
      id: row.id,
      action: row.action,
      at: isoTime(row.at),
      user: row.userId === null ? null : { id: row.userId, name: row.userName ?? "" },
      client: row.clientId === null ? null : { id: row.clientId, name: row.clientName ?? "" },
      subjectId: row.subjectId,
      detail: row.detail,
    })),
    nextCursor,
  };
}
