import { useState } from "react";
import type { Revision } from "../api/history-queries.ts";
import type { Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Badge } from "../ui/Badge.tsx";
import { Button, TextButton } from "../ui/Button.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { capitalize, formatActor } from "../ui/format-actor.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useAction } from "../ui/use-action.ts";
import { describeRevision } from "./describe-revision.ts";
import { isSameContent, RevisionDiff } from "./RevisionDiff.tsx";
import type { RestoreOptions } from "./use-restore-revision.ts";

/** One revision: who changed what, and when. Expands to show the differences. */
export function RevisionRow({
  revision,
  oldestRevision,
  previous,
  isCut,
  isTrashedAfter,
  isCurrent,
  currentAssets,
  canRestore,
  onRestore,
  onExpand,
}: {
  revision: Revision;
  /** If the row stands for several revisions, the oldest of them; `revision` is the newest. */
  oldestRevision: Revision | undefined;
  /** Undefined for the first revision. */
  previous: Revision | undefined;
  /** Whether earlier revisions, which are not loaded yet, may belong to this row. */
  isCut: boolean;
  /** Whether the post was in the trash after this revision. */
  isTrashedAfter: boolean;
  isCurrent: boolean;
  currentAssets: readonly Asset[];
  canRestore: boolean;
  onRestore: (revision: number, options?: RestoreOptions) => Promise<void>;
  /** Shows each of the several revisions in its own row. */
  onExpand: () => void;
}) {
  const { studio } = useStudio();
  const { isRunning, error, run } = useAction();
  const [isOpen, setIsOpen] = useState(isCurrent && previous !== undefined);
  const { user, client, at } = revision;
  // Restoring a revision does not move the post to the trash again, so that change can't be undone here.
  const isOnlyTrashed = revision.changed.every((field) => field === "trashed");
  const canUndo = canRestore && !isOnlyTrashed;
  const targetRevision = isCurrent ? previous?.revision : revision.revision;
  return (
    <li className="grid grid-cols-1 gap-y-1 py-4">
      <div>
        <p className="m-0 [overflow-wrap:anywhere]">
          <strong className="font-semibold">{capitalize(formatActor(user, client))}</strong>
          {client && ","} {describeRevision(revision, { previous, isTrashedAfter, isCut })}
        </p>
        <p className="m-0 text-sm text-muted first-letter:uppercase">
          <RelativeTime at={at} timezone={studio.timezone} />,{" "}
          {oldestRevision
            ? `revisions ${oldestRevision.revision} to ${revision.revision}`
            : `revision ${revision.revision}`}
          {isCurrent && <Badge tone="accent">current</Badge>}
        </p>
        {oldestRevision && <TextButton onClick={onExpand}>Show each revision</TextButton>}
      </div>
      <div className="relative min-h-control-small">
        {!(previous && isSameContent(previous, revision)) && (
          <Disclosure
            // As high as the button beside it.
            className="[&>summary]:min-h-control-small"
            isOpen={isOpen}
            onToggle={setIsOpen}
            summary={
              <>
                {previous === undefined ? "Content" : "Changes"}
                <span className="sr-only"> of revision {revision.revision}</span>
              </>
            }
          >
            {isOpen && (
              <div className="mt-2 border-l-2 border-rule pl-4">
                {previous ? (
                  <>
                    <RevisionDiff before={previous} after={revision} currentAssets={currentAssets} />
                    {canUndo && !isCurrent && (
                      <Button
                        variant="quiet"
                        size="small"
                        className="mt-2"
                        onClick={() => void run(() => onRestore(previous.revision, { undoes: "Changes" }))}
                        busyLabel={isRunning && "Undoing…"}
                      >
                        Undo this and later changes
                      </Button>
                    )}
                  </>
                ) : (
                  <>
                    <p className="m-0 font-semibold [overflow-wrap:anywhere]">{revision.title}</p>
                    <p className="mt-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
                      {revision.body === "" ? <span className="text-muted">No text yet.</span> : revision.body}
                    </p>
                  </>
                )}
              </div>
            )}
          </Disclosure>
        )}
        {(isCurrent ? canUndo : canRestore) && targetRevision !== undefined && (
          <Button
            variant="quiet"
            size="small"
            // Beside the summary, whether or not the changes are shown.
            className="absolute top-0 right-0"
            onClick={() =>
              void run(() =>
                onRestore(targetRevision, isCurrent ? { onlyIfCurrent: revision.revision, undoes: "Change" } : {}),
              )
            }
            busyLabel={isRunning && (isCurrent ? "Undoing…" : "Restoring…")}
          >
            {isCurrent ? "Undo this change" : `Restore revision ${targetRevision}`}
          </Button>
        )}
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
    </li>
  );
}
