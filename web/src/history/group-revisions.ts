import { compareAssets, type PostFiles } from "./compare-assets.ts";

interface Revision extends PostFiles {
  revision: number;
  at: string;
  user: { id: string } | null;
  client: object | null;
  changed: readonly string[];
  restoredRevision?: number | undefined;
}

/** Consecutive revisions that the history shows as one. */
interface RevisionGroup<R extends Revision> {
  /** Newest first. */
  revisions: readonly [R, ...R[]];
  /** The revision before the oldest one; undefined for the first revision. */
  previous: R | undefined;
}

/** As long as the autosaves that the server collapses. */
const maxGroupMs = 5 * 60_000;

/**
 * Groups files that one user added one after another, or removed, within five minutes. What an AI client did is not
 * grouped, nor is a group whose newest revision is in `expandedRevisions`. `revisions` are newest first; the oldest of
 * them may have a previous one that is not shown, `oldestPrevious`.
 */
export function groupRevisions<R extends Revision>(
  revisions: readonly R[],
  oldestPrevious: R | undefined,
  expandedRevisions: readonly number[] = [],
): RevisionGroup<R>[] {
  const groups: { revisions: [R, ...R[]]; previous: R | undefined; kind: string | undefined }[] = [];
  revisions.forEach((revision, i) => {
    const previous = revisions[i + 1] ?? oldestPrevious;
    const kind = findFileChange(revision, previous);
    const group = groups.at(-1);
    if (group && kind !== undefined && kind === group.kind && belongsTogether(group.revisions[0], revision)) {
      group.revisions.push(revision);
      group.previous = previous;
    } else groups.push({ revisions: [revision], previous, kind });
  });
  return groups.flatMap((group) =>
    expandedRevisions.includes(group.revisions[0].revision)
      ? group.revisions.map((revision, i): RevisionGroup<R> => ({
          revisions: [revision],
          previous: group.revisions[i + 1] ?? group.previous,
        }))
      : group,
  );
}

const belongsTogether = (newest: Revision, revision: Revision): boolean =>
  newest.user?.id === revision.user?.id && Date.parse(newest.at) - Date.parse(revision.at) <= maxGroupMs;

/** `added` or `removed` if this is all that a user did to the post in this revision. */
function findFileChange(revision: Revision, previous: Revision | undefined): string | undefined {
  const { changed, client, user, restoredRevision } = revision;
  if (!previous || client !== null || user === null || restoredRevision !== undefined) return undefined;
  if (changed.length !== 1 || changed[0] !== "assets") return undefined;
  const [change, ...otherChanges] = compareAssets(previous, revision);
  const isSameKind = otherChanges.every(({ kind }) => kind === change?.kind);
  return isSameKind && (change?.kind === "added" || change?.kind === "removed") ? change.kind : undefined;
}
