import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { type IdKind, isId } from "#lib/ids.ts";
import type { Caller } from "../caller.ts";
import {
  activityActions,
  type ActivityObject,
  activityObject,
  type ActivityRow,
  type ObjectType,
  objectTypes,
} from "../model/activity.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import { text } from "../model/text.ts";
import { toUserOrClient, userOrClientView } from "../model/user-or-client.ts";
import { authorize } from "../policy.ts";
import type { ActivityStore } from "../ports/activity.ts";
import type { Deps } from "../ports/deps.ts";

const idKinds: Record<ObjectType, IdKind> = {
  post: "post",
  asset: "asset",
  publication: "publication",
  member: "user",
  client: "grant",
  account: "platformConnection",
};

/** The field of an entry's details that contains the name of its subject at the time. */
const nameFields: Partial<Record<ObjectType, string>> = {
  post: "title",
  asset: "filename",
  client: "clientName",
  account: "account",
};

/** Returns the objects of each row. Looks up the names of all of them with one query. */
async function nameObjects(
  activity: Pick<ActivityStore, "findNames">,
  studioId: string,
  rows: readonly ActivityRow[],
): Promise<ActivityObject[][]> {
  const references = rows.map(listReferences);
  const names = await activity.findNames(studioId, references.flat());
  const namesById = new Map(names.map((name) => [name.id, name]));
  return references.map((rowReferences) =>
    rowReferences.map(({ type, id, storedName }) => {
      const { name, state } = namesById.get(id) ?? { name: storedName, state: "gone" as const };
      return type === "publication" ? { type, id, name: null, state: "current" } : { type, id, name, state };
    }),
  );
}

interface Reference {
  type: ObjectType;
  id: string;
  storedName: string | null;
}

/** The subject, then the post and the account that the details mention. */
function listReferences({ subjectId, detail }: ActivityRow): Reference[] {
  const { postId, connectionId } = detail;
  const ids = [subjectId, postId, connectionId].filter((id) => typeof id === "string");
  return ids.flatMap((id, i) => {
    const type = objectTypes.find((candidate) => isId(idKinds[candidate], id));
    if (type === undefined || ids.indexOf(id) < i) return [];
    const storedName = id === subjectId ? detail[nameFields[type] ?? ""] : undefined;
    return [{ type, id, storedName: typeof storedName === "string" ? storedName : null }];
  });
}

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
