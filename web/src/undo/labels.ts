import type { UndoResult } from "../api/history-queries.ts";
import { statusLabels } from "../posts/status-labels.ts";

export type UndoneField = UndoResult["undone"][number];
export type UndoConflict = UndoResult["conflicts"][number];

const fieldLabels: Record<string, string> = {
  title: "Title",
  body: "Text",
  status: "Status",
  assets: "Order of files",
  altText: "Alt text",
  filename: "File name",
  postId: "Post",
  created: "Creation",
  trashed: "Trash",
};

export const getFieldLabel = (field: string): string => fieldLabels[field] ?? field;

/** Describes what an undo did or would do to a field. For the trash and the post, this follows from the current state. */
export function describeUndo(
  field: string,
  isDone: boolean,
  { isTrashed, isAttached }: { isTrashed: boolean; isAttached: boolean },
): string {
  if (field === "postId") {
    if (isAttached === isDone) return "Put back on its post";
    return isDone ? "Removed from its post" : "Remove from its post";
  }
  if (field !== "created" && field !== "trashed") return getFieldLabel(field);
  if (isDone) return isTrashed ? "Moved to the trash" : "Restored from the trash";
  return isTrashed ? "Restore from the trash" : "Move to the trash";
}

/** Formats a value of a conflict for display. */
export function formatValue(field: string, value: unknown): string {
  if (field === "status") return Object.entries(statusLabels).find(([name]) => name === value)?.[1].singular ?? "";
  if (field === "trashed") return value === true ? "In the trash" : "Not in the trash";
  if (field === "postId") return typeof value === "string" ? "On a post" : "Not on the post";
  if (field === "assets") return Array.isArray(value) ? "The client’s order" : "Another order";
  return typeof value === "string" && value !== "" ? value : "Empty";
}

/** Groups the entries by post or file, and preserves their order. */
export const groupBySubject = <Entry extends Pick<UndoneField, "type" | "id">>(
  entries: readonly Entry[],
): { type: Entry["type"]; id: string; entries: Entry[] }[] =>
  [...Map.groupBy(entries, ({ id }) => id)].flatMap(([id, group]) => {
    const [first] = group;
    return first ? [{ type: first.type, id, entries: group }] : [];
  });

export const formatChanges = (count: number): string =>
  count === 1 ? "1 change" : `${count.toLocaleString("en")} changes`;
