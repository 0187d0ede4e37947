/** An object that an entry is about, with its current name. */
export interface ActivityObject {
  type: "post" | "asset" | "publication" | "member" | "client" | "account";
  id: string;
  name: string | null;
  state: "current" | "trashed" | "gone";
}

/** The part of an activity entry that groups and their sentences use. */
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

/** Entries of one actor, close in time, that one sentence describes: an action on one post, or on many objects. */
export interface ActivityGroup<Entry extends ActivityEntry = ActivityEntry> {
  /** The entry that is shown for the group. */
  newest: Entry;
  /** All entries, newest first. */
  entries: Entry[];
}

/** The longest time between two consecutive entries of a burst. */
const maxGapMs = 5 * 60_000;

/** The type of object that users often apply the action to in bulk; undefined for other actions. */
const getBulkType = (action: string): ActivityObject["type"] | undefined => {
  if (action.startsWith("asset.")) return "asset";
  return ["post.created", "post.deleted", "post.restored"].includes(action) ? "post" : undefined;
};

/** The objects that the group's action changed, each once, such as the files that were attached to one post. */
export function listAffectedObjects({ newest, entries }: ActivityGroup): ActivityObject[] {
  const type = getBulkType(newest.action);
  const objects = entries
    .filter(({ action }) => action === newest.action)
    .flatMap((entry) => entry.objects.filter((object) => object.type === type));
  return [...new Map(objects.map((object) => [object.id, object])).values()];
}

/** How often the group's action was done. A group of finished uploads also contains their starts, which don't count. */
export const countRepetitions = ({ newest, entries }: ActivityGroup): number =>
  entries.filter(({ action }) => action === newest.action).length;

/** Groups the entries of each burst: consecutive entries of one actor. The entries are newest first. */
export function groupActivity<Entry extends ActivityEntry>(entries: readonly Entry[]): ActivityGroup<Entry>[] {
  return splitIntoBursts(entries).flatMap((burst) => {
    const finishedUploads = new Map(
      burst
        .filter(({ action }) => action === "asset.attached" || action === "asset.uploaded")
        .map((entry) => [entry.subjectId, entry]),
    );
    const groups = Map.groupBy(burst, (entry) =>
      getGroupKey((entry.action === "asset.requested" ? finishedUploads.get(entry.subjectId) : undefined) ?? entry),
    );
    return [...groups.values()].flatMap((group) => {
      const [newest] = group;
      return newest ? [{ newest, entries: group }] : [];
    });
  });
}

/** Splits the list where the actor changes, or where more than `maxGapMs` passed. */
function splitIntoBursts<Entry extends ActivityEntry>(entries: readonly Entry[]): Entry[][] {
  const bursts: Entry[][] = [];
  let previous: Entry | undefined;
  for (const entry of entries) {
    const isSameBurst =
      previous !== undefined &&
      getActorKey(previous) === getActorKey(entry) &&
      Date.parse(previous.at) - Date.parse(entry.at) <= maxGapMs;
    if (isSameBurst) bursts.at(-1)?.push(entry);
    else bursts.push([entry]);
    previous = entry;
  }
  return bursts;
}

const getActorKey = ({ user, client, detail }: ActivityEntry): string =>
  JSON.stringify([user?.id, client?.id, detail["by"]]);

/** Every undo has a button, so each is a group of its own. */
function getGroupKey({ id, action, objects }: ActivityEntry): string {
  const bulkType = getBulkType(action);
  const ids = objects.filter(({ type }) => type !== bulkType).map((object) => object.id);
  return JSON.stringify([action, ids, action === "client.undone" ? id : ""]);
}
