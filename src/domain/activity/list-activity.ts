import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { toUserOrClient, userOrClientView } from "../model/user-or-client.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import { authorize } from "../policy.ts";
import { text } from "../model/text.ts";
import { activityActions, activityObject } from "../model/activity.ts";
import { nameObjects } from "./activity-objects.ts";

export const listActivityInput = z.strictObject(pageInput);

/** The web app can also filter by user, client and action. */
export const searchActivityInput = z.strictObject({
  userId: text(100).optional(),
  clientId: text(2000).optional(),
  action: z.enum(activityActions).optional(),
  ...pageInput,
});

const activityView = z.object({
  id: z.string(),
  action: z.string(),
  at: z.string(),
  user: userOrClientView.nullable(),
  client: userOrClientView.nullable(),
  subjectId: z.string().nullable(),
  subjectName: z
    .string()
    .nullable()
    .describe("Current title of the post, or name of the user, that the entry is about."),
  objects: z
    .array(activityObject)
    .describe("What the entry is about: a file and its post, a publication and its account."),
  detail: z.record(z.string(), z.unknown()),
});

export const listActivityOutput = z.object({ activity: z.array(activityView), nextCursor: z.string().nullable() });

/** Lists who did what in this studio and through which client, newest first. */
export async function listActivity(
  deps: Pick<Deps, "activity">,
  caller: Caller,
  input: z.infer<typeof searchActivityInput>,
): Promise<z.infer<typeof listActivityOutput>> {
  authorize(caller, "activity.list");
  const { limit, cursor, ...filter } = input;
  const listKey = `activity ${caller.studio.id} ${JSON.stringify([filter.userId, filter.clientId, filter.action])}`;
  const rows = await deps.activity.list(caller.studio.id, {
    ...filter,
    before: parseCursor(cursor, listKey),
    limit: limit + 1,
  });
  const { items, nextCursor } = toPage(rows, limit, listKey);
  const objects = await nameObjects(deps.activity, caller.studio.id, items);
  return {
    activity: items.map((row, i) => ({
      id: row.id,
      action: row.action,
      at: toIsoTime(row.at),
      user: toUserOrClient(row.userId, row.userName),
      client: toUserOrClient(row.clientId, row.clientName),
      subjectId: row.subjectId,
      subjectName: row.subjectName,
      objects: objects[i] ?? [],
      detail: row.detail,
    })),
    nextCursor,
  };
}
