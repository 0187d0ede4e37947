import { z } from "zod";
import type { Deps } from "../ports/deps.ts";

const subject = { type: z.enum(["post", "asset", "comment"]), id: z.string() };

export const undoReport = z.object({
  undone: z.array(z.object({ ...subject, field: z.string() })).describe("What was undone, per field."),
  conflicts: z
    .array(z.object({ ...subject, field: z.string(), clientValue: z.unknown(), currentValue: z.unknown() }))
    .describe("Fields that someone else changed afterwards. They keep their current value. Long values are cut."),
  publications: z
    .array(z.object({ id: z.string(), state: z.string() }))
    .describe("Publications that were canceled, and those that had started or were published, which stay."),
});

export type UndoReport = z.infer<typeof undoReport>;
export type UndoneField = UndoReport["undone"][number];
export type UndoConflict = UndoReport["conflicts"][number];

export const createReport = (): UndoReport => ({ undone: [], conflicts: [], publications: [] });

export function addConflict(report: UndoReport, { clientValue, currentValue, ...entry }: UndoConflict): void {
  report.conflicts.push({ ...entry, clientValue: shorten(clientValue), currentValue: shorten(currentValue) });
}

/** A report can have thousands of conflicts, and texts can be long. */
const maxValueLength = 2000;

/** Returns the beginning of a long text; a long value that is no text as the beginning of its JSON. */
function shorten(value: unknown): unknown {
  const valueText = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return valueText.length > maxValueLength ? `${valueText.slice(0, maxValueLength).toWellFormed()}…` : value;
}

/** Keeps the first of several entries for a field: an asset that moved between two posts is in the plans of both. */
export function removeDuplicates(report: UndoReport): UndoReport {
  return { ...report, undone: keepFirst(report.undone), conflicts: keepFirst(report.conflicts) };
}

function keepFirst<Entry extends UndoneField>(entries: readonly Entry[]): Entry[] {
  const keys = new Set<string>();
  return entries.filter(({ type, id, field }) => {
    if (type !== "asset") return true;
    const key = `${id} ${field}`;
    const isFirst = !keys.has(key);
    keys.add(key);
    return isFirst;
  });
}

/**
 * Reports that an asset can't return to its post: one of them was deleted, the post is full, or someone else uses the
 * asset.
 */
export function reportUnattachable(
  report: UndoReport,
  assetId: string,
  { clientValue, currentValue }: Pick<UndoConflict, "clientValue" | "currentValue">,
): void {
  report.undone = report.undone.filter(({ id, field }) => id !== assetId || field !== "postId");
  addConflict(report, { type: "asset", id: assetId, field: "postId", clientValue, currentValue });
}

/** A post or asset of a report, as it is now: before the undo if the report is of a dry run, otherwise after it. */
export interface UndoSubject {
  id: string;
  /** The title of a post, or the filename of an asset. */
  name: string;
  isTrashed: boolean;
  /** Whether an asset is on a post. */
  isAttached: boolean;
}

/** Lists the posts and assets of a report. Those that can no longer be restored are missing. */
export async function listSubjects(
  deps: Pick<Deps, "posts" | "assets" | "clock">,
  studioId: string,
  { undone, conflicts }: UndoReport,
): Promise<UndoSubject[]> {
  const subjects: UndoSubject[] = [];
  for (const [id, type] of new Map([...undone, ...conflicts].map((entry) => [entry.id, entry.type]))) {
    const post = type === "post" ? await deps.posts.findWithTrash(studioId, id, deps.clock()) : undefined;
    if (post) subjects.push({ id, name: post.title, isTrashed: post.isTrashed, isAttached: false });
    const asset = type === "asset" ? await deps.assets.findWithTrash(studioId, id) : undefined;
    if (asset && (asset.trashExpiresAt === null || asset.trashExpiresAt > deps.clock()))
      subjects.push({
        id,
        name: asset.filename,
        isTrashed: asset.trashExpiresAt !== null,
        isAttached: asset.postId !== null,
      });
  }
  return subjects;
}
