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
  /** Whether `previous` may belong to the group too. This is known only when the next page has loaded. */
  isCut?: boolean;
}

/** The same as the server's `autosaveWindow`, within which autosaves become one revision. */
const maxGroupMs = 5 * 60_000;

/**
 * Groups consecutive revisions in which one user only added files, or only removed files, within five minutes. Does
 * not group revisions of AI clients, or a group whose newest revision is in `expandedRevisions`. `revisions` are newest
 * first; `revisionBefore` is the one before the oldest of them, which is not shown.
 */
export function groupRevisions<R extends Revision>(
  revisions: readonly R[],
  revisionBefore: R | undefined,
  expandedRevisions: readonly number[] = [],
): RevisionGroup<R>[] {
  const groups: (RevisionGroup<R> & { revisions: [R, ...R[]]; kind: string | undefined })[] = [];
  revisions.forEach((revision, i) => {
    const previous = revisions[i + 1] ?? revisionBefore;
    const kind = getFileChangeKind(revision, previous);
    const group = groups.at(-1);
    if (group && kind !== undefined && kind === group.kind && belongsTogether(group.revisions[0], revision)) {
      group.revisions.push(revision);
      group.previous = previous;
    } else groups.push({ revisions: [revision], previous, kind });
  });
  const lastGroup = groups.at(-1);
  if (lastGroup?.kind !== undefined && revisionBefore && belongsTogether(lastGroup.revisions[0], revisionBefore))
    lastGroup.isCut = isFileChange(revisionBefore);
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

/** Whether a user changed files and nothing else. */
const isFileChange = ({ changed, client, user, restoredRevision }: Revision): boolean =>
  client === null && user !== null && restoredRevision === undefined && changed.length === 1 && changed[0] === "assets";

/** `added` or `removed` if a user made the revision, and it only adds or only removes files; otherwise undefined. */
function getFileChangeKind(revision: Revision, previous: Revision | undefined): string | undefined {
  if (!previous || !isFileChange(revision)) return undefined;
  const [change, ...otherChanges] = compareAssets(previous, revision);
  const isSameKind = otherChanges.every(({ kind }) => kind === change?.kind);
  return isSameKind && (change?.kind === "added" || change?.kind === "removed") ? change.kind : undefined;
}
