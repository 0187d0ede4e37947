import { useEffect, useState } from "react";
import { revisionsQuery } from "../api/history-queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { EditorController } from "../posts/use-editor.ts";
import { mayPublishWithoutApproval } from "../publishing/may-publish-without-approval.ts";
import { List, PagedList } from "../ui/List.tsx";
import { Notice } from "../ui/Notice.tsx";
import { listTrashStates } from "./describe-revision.ts";
import { groupRevisions } from "./group-revisions.ts";
import { RevisionRow } from "./RevisionRow.tsx";
import { describeMissingAssets, useRestoreRevision, type MissingAsset } from "./use-restore-revision.ts";

/** Every revision of a post, newest first, with what it changed. */
export function HistoryPanel({ controller }: { controller: EditorController }) {
  const { studio, may } = useStudio();
  // The user has to resolve the conflict before restoring a revision.
  const { post, hasConflict } = controller;
  const isScheduled = may("posts.write") && post.publications?.some(({ state }) => state === "scheduled") === true;
  const list = usePagedList(revisionsQuery(studio.id, post.id));
  const { items, query } = list;
  const [missingAssets, setMissingAssets] = useState<readonly MissingAsset[]>([]);
  const { restore, dialog } = useRestoreRevision(controller, setMissingAssets);
  /** The newest revisions of groups that the user has expanded. */
  const [expandedRevisions, setExpandedRevisions] = useState<readonly number[]>([]);
  const trashStates = new Map(listTrashStates(items).map((isTrashed, i) => [items[i], isTrashed]));
  // A row compares its revision with the previous one. The oldest loaded revision is hidden until its previous one is
  // loaded too.
  const shownItems = query.hasNextPage ? items.slice(0, -1) : items;

  const { refetch } = query;
  const newestRevision = items[0]?.revision;
  useEffect(() => {
    if (newestRevision !== undefined && newestRevision < post.revision) void refetch();
  }, [newestRevision, post.revision, refetch]);

  return (
    <>
      <p className="m-0 mb-3 text-sm text-muted">
        Restoring makes a new revision; later revisions stay in the history. Files deleted for good can’t be restored.{" "}
        {isScheduled &&
          (mayPublishWithoutApproval(studio)
            ? "Scheduled publications then send the restored content."
            : "If that changes what a scheduled publication sends, an owner or admin needs to approve it again.")}
      </p>
      {missingAssets.length > 0 && (
        <div role="status">
          <Notice tone="warning">{describeMissingAssets(missingAssets)}</Notice>
        </div>
      )}
      <PagedList list={{ ...list, items: shownItems }} moreLabel="Show earlier revisions" empty={null}>
        {(revisions) => (
          <List aria-label="Revisions">
            {groupRevisions(revisions, items[revisions.length], expandedRevisions).map(
              ({ revisions: [revision, ...olderRevisions], previous, isCut = false }) => (
                <RevisionRow
                  key={revision.revision}
                  revision={revision}
                  oldestRevision={olderRevisions.at(-1)}
                  previous={previous}
                  isCut={isCut}
                  isTrashedAfter={trashStates.get(revision) ?? false}
                  isCurrent={revision === items[0]}
                  currentAssets={post.assets}
                  canRestore={may("posts.write") && !hasConflict}
                  onRestore={restore}
                  onExpand={() => setExpandedRevisions((current) => [...current, revision.revision])}
                />
              ),
            )}
          </List>
        )}
      </PagedList>
      {query.isSuccess && items.length === 1 && (
        <p className="text-muted">This is the first revision. Changes appear here as they are saved.</p>
      )}
      {dialog}
    </>
  );
}
