import { type IdKind, isId } from "#lib/ids.ts";
import { type ActivityObject, type ActivityRow, type ObjectType, objectTypes } from "../model/activity.ts";
import type { ActivityStore } from "../ports/activity.ts";

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
export async function nameObjects(
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
