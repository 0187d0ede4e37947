import type { Deps } from "../ports/deps.ts";
import type { UndoReport } from "./report.ts";

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
