import type { UndoResult } from "../api/history-queries.ts";
import { statusLabels } from "../posts/status-labels.ts";

export type UndoneField = UndoResult["undone"][number];
export type UndoConflict = UndoResult["conflicts"][number];
export type UndoSubject = UndoResult["subjects"][number];

const fieldLabels: Record<string, string> = {
  title: "Title",
  body: "Text",
  status: "Status",
  variants: "Texts and files per account",
  tags: "Tags",
  crops: "Image crops",
  assets: "File order",
  altText: "Alt text",
  filename: "File name",
  postId: "Post",
  created: "Creation",
  trashed: "Trash",
};

export const getFieldLabel = (field: string): string => fieldLabels[field] ?? field;

const listFormat = new Intl.ListFormat("en", { type: "conjunction" });

/**
 * Describes what an undo did or would do to the fields of a post or file: "Revert title and text", or "Reapplied title
 * and text" if it undid an earlier undo. The current state shows whether the undo moves it into or out of the trash, and
 * whether it attaches or removes a file.
 */
export function describeUndo(
  fields: readonly string[],
  isDone: boolean,
  { isTrashed, isAttached }: Pick<UndoSubject, "isTrashed" | "isAttached">,
  isUndoOfUndo = false,
): string {
  const revertedLabel = isUndoOfUndo ? "Reapplied" : "Reverted";
  const fieldsWithOwnDescription = ["postId", "created", "trashed"];
  const labels = fields
    .filter((field) => !fieldsWithOwnDescription.includes(field))
    .map((field) => getFieldLabel(field).toLowerCase());
  const descriptions: string[] = [];
  if (labels.length > 0) descriptions.push(`${isDone ? revertedLabel : "Revert"} ${listFormat.format(labels)}`);
  if (fields.includes("postId")) {
    if (isAttached === isDone) descriptions.push(isDone ? "Reattached to its post" : "Reattach to its post");
    else descriptions.push(isDone ? "Removed from its post" : "Remove from its post");
  }
  if (fields.includes("created") || fields.includes("trashed")) {
    if (isTrashed === isDone) descriptions.push(isDone ? "Moved to the trash" : "Move to the trash");
    else descriptions.push(isDone ? "Restored from the trash" : "Restore from the trash");
  }
  return descriptions.join(", ");
}

/** Formats a value of a conflict for display, except texts and files per account, which `VariantsValue` shows. */
export function formatValue(field: string, value: unknown): string {
  if (field === "status") return Object.entries(statusLabels).find(([name]) => name === value)?.[1].singular ?? "";
  if (field === "trashed") return value === true ? "In the trash" : "Not in the trash";
  if (field === "postId") return typeof value === "string" ? "On a post" : "Not on the post";
  if (field === "tags" && Array.isArray(value) && value.length > 0) return value.join(", ");
  if (field === "crops") return Array.isArray(value) && value.length > 0 ? formatCropCount(value.length) : "None";
  if (field === "assets") return Array.isArray(value) ? "The client’s order" : "Another order";
  return typeof value === "string" && value !== "" ? value : "Empty";
}

const formatCropCount = (count: number): string => (count === 1 ? "1 crop" : `${count.toLocaleString("en")} crops`);

/**
 * Groups the entries by post or file: posts first, each kind from the oldest to the newest. The order of a report differs
 * between a dry run, the undo and an undo of the undo. Omits comments, which have no name.
 */
export function groupBySubject<Entry extends Pick<UndoneField, "type" | "id">>(
  entries: readonly Entry[],
  subjects: readonly UndoSubject[],
): { type: "post" | "asset"; subject: UndoSubject; entries: Entry[] }[] {
  const subjectsById = new Map(subjects.map((subject) => [subject.id, subject]));
  const groups = [...Map.groupBy(entries, ({ id }) => id)].flatMap(([id, group]) => {
    const type = group[0]?.type;
    const subject = subjectsById.get(id);
    return subject && (type === "post" || type === "asset") ? [{ type, subject, entries: group }] : [];
  });
  const getSortKey = ({ type, subject }: (typeof groups)[number]): string => `${type === "post" ? 0 : 1} ${subject.id}`;
  return groups.toSorted((a, b) => (getSortKey(a) < getSortKey(b) ? -1 : 1));
}

export const listComments = <Entry extends Pick<UndoneField, "type">>(entries: readonly Entry[]): Entry[] =>
  entries.filter(({ type }) => type === "comment");

export const formatCommentCount = (count: number): string =>
  count === 1 ? "1 comment" : `${count.toLocaleString("en")} comments`;

/** Undoing the creation removes comments; undoing an earlier undo can restore some. */
export function describeCommentUndo(fields: readonly string[], isDone: boolean): string {
  const isRemoved = fields.includes("created");
  const isRestored = fields.includes("removed");
  if (isRemoved && isRestored) return isDone ? "Removed or restored" : "Remove or restore";
  if (isRestored) return isDone ? "Restored" : "Restore";
  return isDone ? "Removed" : "Remove";
}

/** An undo cancels publications that have not started. The others stay, because their content may be public. */
export function describePublicationUndo(state: string, isDone: boolean): string {
  if (state === "canceled") return isDone ? "Canceled" : "Cancel";
  return state === "published" ? "Stays published" : "Stays, because it has already started";
}

/** The number of changes that an undo made or would make. */
export const countChanges = ({ undone, publications }: Pick<UndoResult, "undone" | "publications">): number =>
  undone.length + listCanceled(publications).length;

const listCanceled = (publications: UndoResult["publications"]) =>
  publications.filter(({ state }) => state === "canceled");

export const formatChangeCount = (count: number): string =>
  count === 1 ? "1 change" : `${count.toLocaleString("en")} changes`;

/** Adds the number of posts, files, comments and publications if it differs: "9 changes to 7 items". */
export function formatChanges(result: Pick<UndoResult, "undone" | "publications">): string {
  const changeCount = countChanges(result);
  const itemCount = new Set(result.undone.map(({ id }) => id)).size + listCanceled(result.publications).length;
  if (itemCount === changeCount) return formatChangeCount(changeCount);
  return `${formatChangeCount(changeCount)} to ${itemCount === 1 ? "1 item" : `${itemCount.toLocaleString("en")} items`}`;
}
