/** An object that an entry is about, with its current name. */
export interface ActivityObject {
  type: "post" | "asset" | "publication" | "member" | "client" | "account";
  id: string;
  name: string | null;
  state: "current" | "trashed" | "gone";
}

/** What the groups depend on. */
export interface ActivityEntry {
  id: string;
  action: string;
  at: string;
  user: { id: string } | null;
  client: { id: string } | null;
  subjectId: string | null;
  objects: readonly ActivityObject[];
  detail: Record<string, unknown>;
}

/** Entries of one actor that say the same about the same post, or about different objects at about the same time. */
export interface ActivityGroup<Entry extends ActivityEntry = ActivityEntry> {
  /** The newest entry, which is shown for the group. */
  row: Entry;
  /** All entries, newest first. */
  rows: Entry[];
}

/** The most time between two consecutive entries of a burst. */
const maxGapMs = 5 * 60_000;

/** The type of objects, if users often do the action to many of them at once. */
const getRepeatedType = (action: string): ActivityObject["type"] | undefined => {
  if (action.startsWith("asset.")) return "asset";
  return ["post.created", "post.deleted", "post.restored"].includes(action) ? "post" : undefined;
};

/** The objects that the group's action changed, each once, such as the files that were attached to one post. */
export function listAffectedObjects({ row, rows }: ActivityGroup): ActivityObject[] {
  const type = getRepeatedType(row.action);
  const objects = rows
    .filter(({ action }) => action === row.action)
    .flatMap((each) => each.objects.filter((object) => object.type === type));
  return [...new Map(objects.map((object) => [object.id, object])).values()];
}

/** How often the action was done. The group may have more entries: those of uploads that started and then finished. */
export const countRepetitions = ({ row, rows }: ActivityGroup): number =>
  rows.filter(({ action }) => action === row.action).length;

/** Groups the entries of each burst: consecutive entries of one actor. The entries are newest first. */
export function groupActivity<Entry extends ActivityEntry>(rows: readonly Entry[]): ActivityGroup<Entry>[] {
  return splitIntoBursts(rows).flatMap((burst) => {
    const finishedUploads = new Map(
      burst
        .filter(({ action }) => action === "asset.attached" || action === "asset.uploaded")
        .map((row) => [row.subjectId, row]),
    );
    const groups = Map.groupBy(burst, (row) =>
      getGroupKey((row.action === "asset.requested" ? finishedUploads.get(row.subjectId) : undefined) ?? row),
    );
    return [...groups.values()].flatMap((group) => {
      const [row] = group;
      return row ? [{ row, rows: group }] : [];
    });
  });
}

/** Splits the list where the actor changes, or where more than `maxGapMs` passed. */
function splitIntoBursts<Entry extends ActivityEntry>(rows: readonly Entry[]): Entry[][] {
  const bursts: Entry[][] = [];
  let previous: Entry | undefined;
  for (const row of rows) {
    const isSameBurst =
      previous !== undefined &&
      getActorKey(previous) === getActorKey(row) &&
      Date.parse(previous.at) - Date.parse(row.at) <= maxGapMs;
    if (isSameBurst) bursts.at(-1)?.push(row);
    else bursts.push([row]);
    previous = row;
  }
  return bursts;
}

const getActorKey = ({ user, client, detail }: ActivityEntry): string =>
  JSON.stringify([user?.id, client?.id, detail["by"]]);

/** An undo has a button of its own, so it stays alone. */
function getGroupKey({ id, action, objects }: ActivityEntry): string {
  const repeatedType = getRepeatedType(action);
  const ids = objects.filter(({ type }) => type !== repeatedType).map((object) => object.id);
  return JSON.stringify([action, ids, action === "client.undone" ? id : ""]);
}
